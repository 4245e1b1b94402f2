/**
 * Adds the path to an error of an open file, for which Node has only the system call ("ENOSPC: no space left on device, write"): who
 * reads the log has to know which disk is full.
 */
export function nameFile(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error
  const { syscall, path: named } = error as NodeJS.ErrnoException
  if (syscall === undefined || named !== undefined) return error
  error.message = `${error.message} '${path}'`
  return Object.assign(error, { path })
}
