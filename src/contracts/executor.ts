import { kind } from '#schema'

/** Runs tasks later, and stops them when it is retired. */
export interface Executor {
  /** Returns the function that cancels the task. */
  schedule(delay: number, task: () => void | Promise<void>): () => void
  /** Runs a task repeatedly, `interval` after the end of the last run; returns the function that stops it. */
  repeat(interval: number, task: () => void | Promise<void>): () => void
}

/** Configured as ScheduledExecutorService. */
export const Executor = kind<Executor>('ScheduledExecutorService')
