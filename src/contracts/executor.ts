import { kind } from '#schema'

/** Runs tasks later, and stops them when it is retired. */
export interface Executor {
  /** Runs a task after a delay; gives the way to cancel it. */
  schedule(delay: number, task: () => void | Promise<void>): () => void
  /** Runs a task again and again, an interval after the last run ended; gives the way to stop it. */
  repeat(interval: number, task: () => void | Promise<void>): () => void
}

/** The kind of executors; users know the one type as ScheduledExecutorService. */
export const Executor = kind<Executor>('ScheduledExecutorService')
