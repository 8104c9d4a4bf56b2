/* Numbers of the formats (docs/package-format.md), for what writes them and for the runtime, with which a package ships
 * this file. */
#ifndef DSE_FORMAT_H
#define DSE_FORMAT_H

/* A package: header, table of sections, sections, check of the whole. */
#define DSE_PACKAGE_MAGIC "DSEPKG\r\n"
#define DSE_PACKAGE_FORMAT 1
enum {
  DSE_PACKAGE_HEADER = 32, /* magic, u32 format, bytes of all, sections, bytes of an entry, 0, CRC-32C of both */
  DSE_PACKAGE_CHECK = 28,  /* where that CRC is */
  DSE_PACKAGE_ENTRY = 24,  /* u32 kind, flags, offset, bytes, CRC-32C, number */
  DSE_PACKAGE_POINT = 16,  /* u32 entry of its program, of its weights (or DSE_NO_SECTION); u64 ticks */
  DSE_PACKAGE_TRAILER = 4, /* CRC-32C of all before it */
  DSE_SECTION_ALIGNMENT = 16,
  DSE_SECTION_REQUIRED = 1 /* flag: a reader that does not know the kind refuses the package */
};
#define DSE_NO_SECTION 0xffffffffu

/* Kinds of sections: four characters, the first one lowest. */
#define DSE_SECTION_POINTS 0x53544e50u  /* PNTS: points of the front, fastest first. Required */
#define DSE_SECTION_PROGRAM 0x474f5250u /* PROG: an encoded program. Required */
#define DSE_SECTION_WEIGHTS 0x54484757u /* WGHT: a constants image. Required */
#define DSE_SECTION_SEALED 0x4c414553u  /* SEAL: an encrypted package. Required */
#define DSE_SECTION_INFO 0x4f464e49u    /* INFO: what it is, JSON */
#define DSE_SECTION_NETWORK 0x4b57544eu /* NTWK: graph and quantisation; data that no image holds */
#define DSE_SECTION_DEVICE 0x45564544u  /* DEVE: the device file */
#define DSE_SECTION_PLAN 0x4e414c50u    /* PLAN: the plan document of point `number` */
#define DSE_SECTION_VECTOR 0x54434556u  /* VECT: a test vector */
#define DSE_SECTION_PARITY 0x20434345u  /* ECC: check bits of all before it. The last section */

/* SEAL: nonce, tag, encrypted bytes. Authenticated besides: the header's first 24 bytes and the INFO section. */
enum { DSE_SEAL_KEY = 32, DSE_SEAL_NONCE = 24, DSE_SEAL_TAG = 16, DSE_SEAL_HEADER = 24 };
/* ECC: for every block of bytes, the exclusive or of the positions (from 1) of the bits that are set, and, highest, the
 * parity of the block: two bytes. */
enum { DSE_PARITY_BLOCK = 64, DSE_PARITY_BYTES = 2 };

/* An encoded program. */
#define DSE_PLAN_FORMAT 3
enum {
  DSE_MAX_LOOPS = 4,
  DSE_MAX_SLOTS = 16,
  DSE_MAX_HISTORY = 4,
  DSE_MAX_QUEUES = 20,
  DSE_MAX_ARENAS = 8,
  DSE_TABLE = 32, /* views, and ranges, that are remembered */
  DSE_VIEW_FIELDS = 12
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
