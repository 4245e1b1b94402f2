import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { installed } from './load.ts'

const taskset = installed('taskset')
const isPinned = taskset !== undefined && cpus().length > 1

/** The core of measured servers; load generator, upstreams and this process use the others. */
const SUBJECT_CORE = '1'
const OTHER_CORES = cpus().length > 2 ? `0,2-${cpus().length - 1}` : '0'

/** How processes are placed, for the report. */
export const placement = isPinned
  ? `server on core ${SUBJECT_CORE}, the rest on ${OTHER_CORES}`
  : 'not pinned (taskset or a second core is missing)'

/** Moves this process, and so the programs it starts, off the core of the measured servers. */
export function leaveSubjectCore(): void {
  if (isPinned) execFileSync(taskset!, ['-a', '-p', '-c', OTHER_CORES, String(process.pid)], { stdio: 'ignore' })
}

/** The command, run on the core of measured servers. */
export function onSubjectCore(command: readonly [string, ...string[]]): [string, ...string[]] {
  return isPinned ? [taskset!, '-c', SUBJECT_CORE, ...command] : [...command]
}
