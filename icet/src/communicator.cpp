// The functions of a communicator over MPI. Programs call them through the structure, so they throw nothing:
// MPI errors go to the communicator's error handler, as usual in MPI.
#include "communicator.hpp"

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "IceTMPI.h"
#include "diagnostics.hpp"

namespace sortlast::icet {
namespace {

constexpr IceTEnum request_magic = 0x51A5717;

struct Request {
  IceTCommRequestStruct face = {};
  MPI_Request request = MPI_REQUEST_NULL;
};

MPI_Datatype type_of(IceTEnum type) {
  switch (type) {
    case ICET_BOOLEAN:
    case ICET_BYTE:
    case ICET_VOID:
      return MPI_BYTE;
    case ICET_SHORT:
      return MPI_SHORT;
    case ICET_INT:
      return MPI_INT;
    case ICET_FLOAT:
      return MPI_FLOAT;
    case ICET_DOUBLE:
      return MPI_DOUBLE;
    default:
      raise_error(ICET_INVALID_ENUM,
                  "a message of elements of type " + hexadecimal(type) +
                      "; expected ICET_BYTE, ICET_SHORT, ICET_INT, ICET_FLOAT or ICET_DOUBLE");
      return MPI_DATATYPE_NULL;
  }
}

IceTCommunicator duplicate(IceTCommunicator self) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(mpi_of(self), &copy);
  return copy == MPI_COMM_NULL ? ICET_COMM_NULL : wrap(copy);
}

// Addresses of destroyed communicators, so that using one is an error and not a crash.
std::unordered_set<const IceTCommunicatorStruct*>& destroyed() {
  static std::unordered_set<const IceTCommunicatorStruct*> all;
  return all;
}

void destroy(IceTCommunicator self) {
  destroyed().insert(self);
  const std::unique_ptr<IceTCommunicatorStruct> end(self);
  const std::unique_ptr<MPI_Comm> comm(static_cast<MPI_Comm*>(self->data));
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(comm.get());
}

IceTCommunicator subset(IceTCommunicator self, int count, const IceTInt32* ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group part = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(mpi_of(self), &all);
  MPI_Group_incl(all, count, ranks, &part);
  MPI_Comm_create(mpi_of(self), part, &comm);
  MPI_Group_free(&part);
  MPI_Group_free(&all);
  return comm == MPI_COMM_NULL ? ICET_COMM_NULL : wrap(comm);
}

void barrier(IceTCommunicator self) { MPI_Barrier(mpi_of(self)); }

void send(IceTCommunicator self, const void* buf, int count, IceTEnum type, int dest, int tag) {
  MPI_Send(buf, count, type_of(type), dest, tag, mpi_of(self));
}

void receive(IceTCommunicator self, void* buf, int count, IceTEnum type, int src, int tag) {
  MPI_Recv(buf, count, type_of(type), src, tag, mpi_of(self), MPI_STATUS_IGNORE);
}

void send_receive(IceTCommunicator self, const void* sendbuf, int sendcount, IceTEnum sendtype, int dest,
                  int sendtag, void* recvbuf, int recvcount, IceTEnum recvtype, int src, int recvtag) {
  MPI_Sendrecv(sendbuf, sendcount, type_of(sendtype), dest, sendtag, recvbuf, recvcount, type_of(recvtype),
               src, recvtag, mpi_of(self), MPI_STATUS_IGNORE);
}

// IceT's callers pass a null buffer for data that is already in place.
const void* in_place(const void* buf) { return buf == nullptr ? MPI_IN_PLACE : buf; }

void gather(IceTCommunicator self, const void* sendbuf, int sendcount, IceTEnum type, void* recvbuf,
            int root) {
  MPI_Gather(in_place(sendbuf), sendcount, type_of(type), recvbuf, sendcount, type_of(type), root,
             mpi_of(self));
}

void gather_varying(IceTCommunicator self, const void* sendbuf, int sendcount, IceTEnum type, void* recvbuf,
                    const int* recvcounts, const int* recvoffsets, int root) {
  MPI_Gatherv(in_place(sendbuf), sendcount, type_of(type), recvbuf, recvcounts, recvoffsets, type_of(type),
              root, mpi_of(self));
}

void gather_everywhere(IceTCommunicator self, const void* sendbuf, int sendcount, IceTEnum type,
                       void* recvbuf) {
  MPI_Allgather(in_place(sendbuf), sendcount, type_of(type), recvbuf, sendcount, type_of(type), mpi_of(self));
}

void all_to_all(IceTCommunicator self, const void* sendbuf, int sendcount, IceTEnum type, void* recvbuf) {
  MPI_Alltoall(sendbuf, sendcount, type_of(type), recvbuf, sendcount, type_of(type), mpi_of(self));
}

template <typename Start>
IceTCommRequest start(const Start& post) {
  auto request = std::make_unique<Request>();
  post(&request->request);
  request->face = {request_magic, request.get()};
  return &request.release()->face;
}

IceTCommRequest start_send(IceTCommunicator self, const void* buf, int count, IceTEnum type, int dest,
                           int tag) {
  return start(
      [&](MPI_Request* request) { MPI_Isend(buf, count, type_of(type), dest, tag, mpi_of(self), request); });
}

IceTCommRequest start_receive(IceTCommunicator self, void* buf, int count, IceTEnum type, int src, int tag) {
  return start(
      [&](MPI_Request* request) { MPI_Irecv(buf, count, type_of(type), src, tag, mpi_of(self), request); });
}

// The request behind its public handle; null for the null request, and for an invalid one.
Request* request_of(IceTCommRequest face) {
  if (face == ICET_COMM_REQUEST_NULL) return nullptr;
  if (face->magic_number == request_magic) return static_cast<Request*>(face->internals);
  raise_error(ICET_INVALID_VALUE, "a wait for what is no request of this communicator");
  return nullptr;
}

void wait(IceTCommunicator /*self*/, IceTCommRequest* face) {
  const std::unique_ptr<Request> request(request_of(*face));
  if (!request) return;
  MPI_Wait(&request->request, MPI_STATUS_IGNORE);
  *face = ICET_COMM_REQUEST_NULL;
}

int wait_any(IceTCommunicator /*self*/, int count, IceTCommRequest* faces) {
  std::vector<MPI_Request> requests;
  for (int i = 0; i < count; ++i) {
    const Request* request = request_of(faces[i]);
    requests.push_back(request == nullptr ? MPI_REQUEST_NULL : request->request);
  }
  int index = MPI_UNDEFINED;
  MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
  if (index == MPI_UNDEFINED) return -1;
  delete request_of(faces[index]);
  faces[index] = ICET_COMM_REQUEST_NULL;
  return index;
}

int size(IceTCommunicator self) {
  int result = 0;
  MPI_Comm_size(mpi_of(self), &result);
  return result;
}

int rank(IceTCommunicator self) {
  int result = 0;
  MPI_Comm_rank(mpi_of(self), &result);
  return result;
}

}  // namespace

IceTCommunicator wrap(MPI_Comm comm) {
  auto data = std::make_unique<MPI_Comm>(comm);
  auto result = std::make_unique<IceTCommunicatorStruct>(IceTCommunicatorStruct{
      duplicate, destroy, subset, barrier, send, receive, send_receive, gather, gather_varying,
      gather_everywhere, all_to_all, start_send, start_receive, wait, wait_any, size, rank, nullptr});
  result->data = data.release();
  destroyed().erase(result.get());
  return result.release();
}

MPI_Comm mpi_of(IceTCommunicator comm) { return *static_cast<MPI_Comm*>(comm->data); }

void check_communicator(IceTCommunicator comm, const char* call) {
  const char* problem = comm == ICET_COMM_NULL         ? "the communicator is null"
                        : destroyed().contains(comm)   ? "the communicator has been destroyed"
                        : comm->Duplicate != duplicate ? "the communicator's functions are a program's own"
                                                       : nullptr;
  if (problem == nullptr) return;
  throw Failure(ICET_INVALID_OPERATION,
                std::string(call) + ": " + problem + "; expected one that icetCreateMPICommunicator() made");
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm) {
  if (mpi_comm == MPI_COMM_NULL) return ICET_COMM_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  if (MPI_Comm_dup(mpi_comm, &copy) != MPI_SUCCESS) return ICET_COMM_NULL;
  return wrap(copy);
}

void icetDestroyMPICommunicator(IceTCommunicator comm) {
  if (comm == ICET_COMM_NULL) return;
  try {
    check_communicator(comm, "icetDestroyMPICommunicator");
    comm->Destroy(comm);
  } catch (...) {
    raise_current_exception();
  }
}
