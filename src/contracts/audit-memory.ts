/** Layout of the memory that the audit writer shares with one service of one unit: positions of 32-bit integers. */
export const AUDIT_MEMORY = {
  /** 1 while requests have to wait for room in a queue. */
  full: 0,
  /** Number of events that the writer has read; wraps around. */
  eventsRead: 1,
  bytes: 8,
} as const
