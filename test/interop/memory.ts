import { readFileSync } from 'node:fs'

/** Peak resident size of a process and its children, in MiB, on Linux. */
export function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    const own = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
    return Math.round(children.reduce((sum, child) => sum + peakMemory(Number(child)), own))
  } catch {
    return 0
  }
}
