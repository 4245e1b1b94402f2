/** Exit codes of every command (decisions 2). */
export const EXIT = {
  ok: 0,
  failed: 1,
  forced: 2,
  usage: 64,
  /** EX_UNAVAILABLE of sysexits.h: a running gateway can not be reached. */
  unavailable: 69,
  /** EX_IOERR of sysexits.h: standard output or standard error can not be written. */
  output: 74,
  /** EX_TEMPFAIL of sysexits.h: the store of gateways, or the gateway in front of it, can not be reached. */
  temporary: 75,
  configuration: 78,
} as const
