/* The protocol by which the ranks of a node share their images, as a model for Spin.
 *
 *   spin -D RANKS=2 -D FRAMES=4 -a node.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * It follows src/sortlast/execute/node: the eventcount and the barrier (control), the meeting, the release of
 * images and the wait for their readers (node), and the slots of the frames (frames); a name here is
 * the name there. Every atomic operation is a step of its own, and so is every plain write that others read.
 * Waits have no limit of time here: the library looks again every 50 ms, and a wake-up that it needs that for
 * would be a deadlock of the model.
 *
 * Checked: no deadlock, so no ring is lost; nobody reads an image, an offer or a decision of another frame
 * than his own; no rank gets its image back while another may read it; no frame that a tile still holds is given out again; when all have let go of their
 * tiles, every slot is free.
 *
 * BROKEN names a mistake that is made on purpose, by a number below; the search must find it. The order of
 * memory is not part of the model: every step is seen by all at once. ThreadSanitizer looks at that.
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef FRAMES
#define FRAMES 4
#endif
#ifndef SLOTS /* the library has 8 */
#define SLOTS 2
#endif
#ifndef BROKEN
#define BROKEN 0
#endif
#define LOOKS_BEFORE_RINGING 1 /* ring() looks for sleepers first, and counts the ring after that */
#define SLEEPS_UNSEEN 2        /* the kernel puts a waiter to sleep without comparing the number of rings */
#define LOOKS_AFTER_ARRIVING 3 /* the number of openings is read after arrive() */
#define RETURNS_UNREAD 4       /* composite() returns before all have read the image */
#define FORGETS_TILES 5        /* choose() takes slots that tiles still hold */

/* An eventcount: who waits at it is in `asleep`. The first two are those of the two barriers. */
#define MEETING 0
#define CONFIRMATION 1
#define READ(rank) (2 + rank)
#define EVENTS (2 + RANKS)
#define AWAKE 255
byte rings[EVENTS];
byte sleepers[EVENTS];
byte asleep[RANKS] = AWAKE;

byte arrivals[2];
byte failures;

/* A slot's image and offers hold the number of the frame that they are of. */
byte image[RANKS];
byte unread[RANKS];
typedef Offers { byte number[2] };
Offers offers[RANKS];

typedef Choice { byte number; byte slot; bool taken; bool fresh };
Choice decisions[2];

/* Every third meeting is one without images, as that of gather() is. */
#define composites(meeting) (meeting % 3 != 0)

byte users[SLOTS];
bool there[SLOTS]; /* has a segment */
byte finished;

inline ring(event) {
  if
  :: BROKEN == LOOKS_BEFORE_RINGING ->
    looked = sleepers[event];
    rings[event]++
  :: else ->
    rings[event]++;
    looked = sleepers[event]
  fi;
  if
  :: looked > 0 -> /* the kernel wakes all at once */
    d_step {
      each = 0;
      do
      :: each < RANKS ->
        if
        :: asleep[each] == event -> asleep[each] = AWAKE
        :: else
        fi;
        each++
      :: else -> break
      od;
      each = 0; looked = 0
    }
  :: else
  fi
}

inline wait(event) {
  sleepers[event]++;
  if
  :: rings[event] == seen ->
    atomic { /* the kernel compares under its lock */
      if
      :: rings[event] == seen || BROKEN == SLEEPS_UNSEEN -> asleep[me] = event
      :: else
      fi
    }
    asleep[me] == AWAKE
  :: else
  fi;
  sleepers[event]--
}

/* Read the image of `mate` and release() it. */
inline read() {
  assert(offers[mate].number[parity] == frame);
  assert(image[mate] == frame);
  d_step { unread[mate]--; looked = (unread[mate] == 0) }
  if
  :: looked -> looked = 0; ring(READ(mate))
  :: else
  fi
}

/* Wait until all have come; `last` is whether this rank came last, which then has to ring(). */
inline come_together(barrier) {
  if
  :: BROKEN != LOOKS_AFTER_ARRIVING -> before = rings[barrier]
  :: else
  fi;
  d_step {
    arrivals[barrier] = (arrivals[barrier] + 1) % RANKS;
    last = (arrivals[barrier] == 0)
  }
  if
  :: BROKEN == LOOKS_AFTER_ARRIVING -> before = rings[barrier]
  :: else
  fi;
  if
  :: last
  :: else ->
    do
    :: seen = rings[barrier];
      if
      :: rings[barrier] != before -> break
      :: else -> wait(barrier)
      fi
    od
  fi;
  seen = 0; before = 0
}

/* The last to come: compare what all brought, and choose memory for the frame. No other looks at that yet. */
inline decide() {
  d_step {
    each = 0;
    do
    :: each < RANKS -> assert(offers[each].number[parity] == frame); each++
    :: else -> break
    od;
    decisions[parity].number = frame;
    decisions[parity].taken = false;
    decisions[parity].fresh = false;
    each = 0
  }
  if
  :: composites(frame) ->
    /* An idle frame again, or else an empty place. Tiles may be let go of meanwhile. */
    do
    :: each < SLOTS && (BROKEN == FORGETS_TILES || users[each] == 0) -> break
    :: each < SLOTS && !(BROKEN == FORGETS_TILES || users[each] == 0) -> each++
    :: each == SLOTS -> break
    od;
    skip; /* no jump may end in a d_step */
    d_step {
      if
      :: each < SLOTS ->
        assert(users[each] == 0);
        users[each] = RANKS;
        decisions[parity].slot = each;
        decisions[parity].taken = true;
        decisions[parity].fresh = !there[each];
        there[each] = true
      :: else
      fi;
      each = 0
    }
  :: else
  fi
}

/* After a meeting with a frame: a fresh one is theirs only if all could map it. */
inline take_frame() {
  if
  :: decisions[parity].taken && decisions[parity].fresh ->
    if
    :: true
    :: failures++ /* could not map it */
    fi;
    come_together(CONFIRMATION);
    if
    :: last ->
      if
      :: failures > 0 ->
        failures = 0;
        there[decisions[parity].slot] = false;
        users[decisions[parity].slot] = 0;
        decisions[parity].taken = false
      :: else
      fi;
      ring(CONFIRMATION)
    :: else
    fi
  :: else
  fi;
  if
  :: decisions[parity].taken -> held[parity] = decisions[parity].slot + 1
  :: else
  fi
}

inline let_go(number) {
  d_step {
    assert(users[held[number] - 1] > 0);
    users[held[number] - 1]--;
    held[number] = 0
  }
}

proctype Rank(byte me) {
  byte frame = 1;
  byte parity = 0;
  byte held[2]; /* tiles: slot + 1 */
  byte seen, before, looked, each, mate;
  bool last;

  do
  :: frame <= FRAMES ->
    if
    :: composites(frame) -> image[me] = frame /* the renderer draws into its image again */
    :: else
    fi;
    parity = 1 - parity;

    /* meet() */
    offers[me].number[parity] = frame;
    unread[me] = RANKS - 1;
    come_together(MEETING);
    if
    :: last -> decide(); ring(MEETING)
    :: else
    fi;
    assert(decisions[parity].number == frame);

    if
    :: composites(frame) ->
      /* A tile of the frame before last is let go of at the latest when its place here is needed. */
      if
      :: held[parity] > 0 -> let_go(parity)
      :: else
      fi;
      take_frame();
      do
      :: mate < RANKS && mate != me -> read(); mate++
      :: mate < RANKS && mate == me -> mate++
      :: else -> break
      od;
      mate = 0;

      /* wait_until_read() */
      if
      :: BROKEN == RETURNS_UNREAD
      :: else ->
        do
        :: seen = rings[READ(me)];
          if
          :: unread[me] == 0 -> break
          :: else -> wait(READ(me))
          fi
        od;
        seen = 0
      fi
    :: else
    fi;

    /* The caller keeps its tile, or lets go of it. */
    if
    :: held[parity] > 0 -> let_go(parity)
    :: true
    fi;
    frame++
  :: else -> break
  od;
  if
  :: held[0] > 0 -> let_go(0)
  :: else
  fi;
  if
  :: held[1] > 0 -> let_go(1)
  :: else
  fi;
  finished++
}

init {
  byte rank = 0;
  atomic {
    do
    :: rank < RANKS -> run Rank(rank); rank++
    :: else -> break
    od
  }
  finished == RANKS;
  rank = 0;
  do
  :: rank < SLOTS -> assert(users[rank] == 0); rank++
  :: else -> break
  od
}
