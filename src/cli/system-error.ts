import { dirname } from 'node:path'

/** An error of the operating system as one sentence with the remedy, where one is known; null for other errors. */
export function systemErrorText(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code, syscall, message, path, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string
    readonly port?: number
  }
  if (typeof code !== 'string' || typeof syscall !== 'string') return null
  if (syscall === 'mkdtemp' && path !== undefined) {
    return `the temporary directory ${dirname(path)} can not be written: ${code}; name another one with TMPDIR`
  }
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return `port ${port} on ${address} is in use by another process; choose another one, or 0 for a free one`
  }
  return message
}
