/* Numbers of the plan format (docs/run/package.md), for the encoder and for the runtime, with which a package ships
 * this file. */
#ifndef DSE_FORMAT_H
#define DSE_FORMAT_H

#define DSE_PLAN_FORMAT 2
enum {
  DSE_MAX_LOOPS = 4,
  DSE_MAX_SLOTS = 16,
  DSE_MAX_HISTORY = 4,
  DSE_MAX_QUEUES = 20,
  DSE_MAX_ARENAS = 8,
  DSE_TABLE = 32, /* views, and ranges, that are remembered */
  DSE_VIEW_FIELDS = 12,
  DSE_FAR = 1 << 28 /* coordinates that the runtime accepts */
};

/* First byte of an instruction; of a task, DSE_CODE_TASK and its bits. */
enum {
  DSE_CODE_STOP = 0,
  DSE_CODE_END = 1,
  DSE_CODE_LOOP = 2,
  DSE_CODE_SECTION = 3,
  DSE_CODE_FORGET = 4,
  DSE_CODE_TASK = 0x80
};

/* First byte of a view: below DSE_TABLE an entry of the table; DELTA + e differs from entry e, NEW from the default. */
enum { DSE_VIEW_ABSENT = 0x3f, DSE_VIEW_DELTA = 0x40, DSE_VIEW_NEW = 0x60 };

/* First byte of a range: below DSE_TABLE an entry of the table; SMALL + n: all of n < 32; then the three forms that are
 * remembered. */
enum { DSE_RANGE_SMALL = 0x20, DSE_RANGE_WHOLE = 0x40, DSE_RANGE_TILES = 0x80, DSE_RANGE_GENERAL = 0xc0 };

#endif
