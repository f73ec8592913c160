/* How the ranks of a node come to frames that do not wait for all of them, as a model for Spin.
 *
 *   spin -D RANKS=3 -D FRAMES=3 -a roll.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * It follows Roll (src/sortlast/execute/node/roll.hpp), and Node::join() and attend(). Every atomic operation
 * is a step of its own. A deadline may be over at any moment once it was set; that of the last frame never is,
 * as that frame waits for all. Waits look at what they wait for; that no ring is lost is checked by node.pml.
 *
 * Checked: no deadlock; all ranks of a frame see the same set of ranks in it; nobody reads an offer of another
 * frame; a rank joins frames in rising order, and no frame that was closed; the last frame has all ranks.
 *
 * BROKEN names a mistake that is made on purpose, by a number below; the search must find it.
 */
#ifndef RANKS
#define RANKS 3
#endif
#ifndef FRAMES
#define FRAMES 3
#endif
#ifndef BROKEN
#define BROKEN 0
#endif
#define LATE_RANKS_SET_THE_END 1 /* a rank that was late sets the end of a frame, too */
#define ONE_END 2                /* the ends of two frames that follow each other lie in one place */
#define OFFERS_BEFORE_CLOSING 3  /* a rank says that it has joined before it knows how many have */
#define LEAVES_UNREAD 4          /* a rank goes on before all of its frame have read its image */
#define CLEARS_LATE 5            /* the end of the next frame is forgotten after that is open */

#if BROKEN == ONE_END
#define PLACE(frame) 0
#else
#define PLACE(frame) ((frame) % 2)
#endif

byte open_frame = 1;
byte open_count;
byte closed_frame;
byte closed_count;
bool ends[2];       /* whether the end of a frame was set */
byte joined[RANKS]; /* the last frame whose image is offered */
byte offer[RANKS];  /* the frame of the image that lies there; 0: it is being drawn */
byte unread[RANKS];
byte members[FRAMES + 2]; /* of each frame, as bits, by whom sees it first; 0: nobody has */

/* Close a frame as it is, unless somebody has. */
inline close(number) {
#if BROKEN != CLEARS_LATE
  ends[PLACE(number + 1)] = false;
#endif
  atomic {
    if
    :: open_frame == number -> count = open_count; open_frame = number + 1; open_count = 0; won = true
    :: else -> won = false
    fi
  }
  if
  :: won ->
#if BROKEN == CLEARS_LATE
    ends[PLACE(number + 1)] = false;
#endif
    d_step { closed_frame = number; closed_count = count }
  :: else
  fi
}

#if RANKS == 2
#define OFFERED(number) ((joined[0] == number) + (joined[1] == number))
#else /* 3 */
#define OFFERED(number) ((joined[0] == number) + (joined[1] == number) + (joined[2] == number))
#endif

proctype Rank(byte me) {
  byte last, frame, count, set, all, i;
  bool won;
  do
  :: last == FRAMES -> break
  :: else ->
    offer[me] = 0; offer[me] = 1; /* draws the next image */

    /* Join the frame that is open. */
    atomic { frame = open_frame; open_count++; count = open_count }
    assert(frame > last && frame <= FRAMES);
    if
    :: count == RANKS -> close(frame)
    :: else ->
      if
#if BROKEN == LATE_RANKS_SET_THE_END
      :: frame < FRAMES -> ends[PLACE(frame)] = true
#else
      :: frame == last + 1 && frame < FRAMES -> ends[PLACE(frame)] = true
#endif
      :: else
      fi
    fi;
#if BROKEN == OFFERS_BEFORE_CLOSING
    joined[me] = frame;
#endif

    /* Wait until it is closed; whoever finds that its time is over closes it. */
    do
    :: closed_frame == frame -> break
    :: closed_frame < frame && ends[PLACE(frame)] -> close(frame)
    :: closed_frame > frame -> assert(false)
    od;
    all = closed_count;

    /* Offer the image, and wait for those of the others. */
    unread[me] = all - 1;
#if BROKEN != OFFERS_BEFORE_CLOSING
    joined[me] = frame;
#endif
    OFFERED(frame) >= all;
    atomic {
      set = 0; i = 0;
      do
      :: i == RANKS -> break
      :: i < RANKS && joined[i] == frame -> set = set | (1 << i); i++
      :: i < RANKS && joined[i] != frame -> i++
      od;
      assert(OFFERED(frame) == all)
    }
    d_step {
      if
      :: members[frame] == 0 -> members[frame] = set
      :: else -> assert(members[frame] == set)
      fi;
      assert(frame < FRAMES || set == (1 << RANKS) - 1)
    }

    /* Read the images of the others, and let them go. */
    i = 0;
    do
    :: i == RANKS -> break
    :: i < RANKS && (i == me || (set & (1 << i)) == 0) -> i++
    :: i < RANKS && i != me && (set & (1 << i)) != 0 -> assert(offer[i] == 1 && joined[i] == frame); unread[i]--; i++
    od;
#if BROKEN != LEAVES_UNREAD
    unread[me] == 0;
#endif
    last = frame
  od
}

init {
  byte rank;
  atomic {
    do
    :: rank < RANKS -> run Rank(rank); rank++
    :: else -> break
    od
  }
}
