/** Receives each line of the loggers of this thread; must not throw or block. */
type LineObserver = (line: string) => void

let observer: LineObserver | null = null

/** Passes further lines to an observer, in place of an earlier one; returns how it is removed. */
export function observeLogLines(observe: LineObserver): () => void {
  observer = observe
  return () => {
    if (observer === observe) observer = null
  }
}

/** For loggers. */
export function notifyLineObserver(line: string): void {
  observer?.(line)
}
