// A program of another project.
int main() { return 0; }
