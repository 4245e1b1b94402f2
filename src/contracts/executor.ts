import { kind } from '#schema'

/** Runs tasks later, and stops them when it is retired. */
export interface Executor {
  /** Runs a task after a delay; returns the function that cancels it. */
  schedule(delay: number, task: () => void | Promise<void>): () => void
  /** Runs a task repeatedly, an interval after the last run ended; returns the function that stops it. */
  repeat(interval: number, task: () => void | Promise<void>): () => void
}

/** The kind of executors; users know the one type as ScheduledExecutorService. */
export const Executor = kind<Executor>('ScheduledExecutorService')
