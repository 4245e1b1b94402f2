import type { Socket } from 'node:net'

/** Waits for the end of the poll to write. */
export interface PollWaiter {
  /** Must not throw: others wait for the same moment. */
  pollEnded(): void
}

let corked: Socket[] = []
let waiters: PollWaiter[] = []

/**
 * Holds back what is written to the socket until all sockets that were readable in this iteration of the event loop are read.
 * Writes of many requests then follow each other: the first wakes the process of the upstream where it is on this machine,
 * and the others find it awake (docs/guide/performance.md, Inlining and wake-ups). The waiter is called afterwards.
 */
export function corkUntilPollEnds(socket: Socket, waiter: PollWaiter | null = null): void {
  socket.cork()
  if (waiter !== null) waiters.push(waiter)
  if (corked.push(socket) === 1) setImmediate(uncorkAll)
}

function uncorkAll(): void {
  const sockets = corked
  const waiting = waiters
  corked = []
  waiters = []
  // Does nothing for those that were destroyed.
  for (const socket of sockets) socket.uncork()
  for (const waiter of waiting) waiter.pollEnded()
}
