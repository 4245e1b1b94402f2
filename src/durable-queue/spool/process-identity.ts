import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, as a file that it leaves behind names it. */
export interface ProcessIdentity {
  readonly pid: number
  /** Distinguishes processes that had the same id one after the other; empty where the system does not tell. */
  readonly started: string
  readonly host: string
}

let own: ProcessIdentity | null = null

export function thisProcess(): ProcessIdentity {
  own ??= { pid: process.pid, started: startOf(process.pid) ?? '', host: hostname() }
  return own
}

/** Whether it is, or was, a process of this machine or container. */
export function isHere({ host }: ProcessIdentity): boolean {
  return host === hostname()
}

/** For a process of this machine or container. One that had the id before, as in a container that was restarted, has another start. */
export function isRunning({ pid, started }: Omit<ProcessIdentity, 'host'>): boolean {
  if (pid === process.pid) return started !== '' && started === startOf(pid)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const since = startOf(pid)
  return since === null || started === '' || since === started
}

/** Start of a process since boot, in clock ticks, where the system has /proc. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the name in parentheses, may contain blanks; the start is the 22nd.
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
