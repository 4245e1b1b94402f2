/** Exit codes of every command (decisions 2). */
export const EXIT = {
  ok: 0,
  failed: 1,
  forced: 2,
  usage: 64,
  configuration: 78,
} as const
