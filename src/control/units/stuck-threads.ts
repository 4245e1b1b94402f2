import type { Worker } from 'node:worker_threads'

const stuck = new Set<Worker>()

/**
 * Lets the process end although a thread hangs in a system call: Node waits for all threads, also after `process.exit`. Where one
 * still hangs then, the process ends itself by SIGKILL. One listener for all of them: on a network file system that is gone, each
 * unit and its successors may hang.
 */
export function endWithProcess(thread: Worker): void {
  thread.unref()
  if (stuck.size === 0) process.on('exit', killProcess)
  stuck.add(thread)
  thread.once('exit', () => {
    stuck.delete(thread)
    if (stuck.size === 0) process.off('exit', killProcess)
  })
}

function killProcess(): void {
  process.kill(process.pid, 'SIGKILL')
}
