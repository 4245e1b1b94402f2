/** Counts the failures of one closed circuit in memory that all units write to at the same time. */
export interface FailureCount {
  /**
   * Adds the outcome of a request of an epoch; one of an epoch that is over is left out. Where the count is full, the
   * state becomes the word that `opened` gives. True for the one caller whose step opened the circuit.
   */
  add(epoch: number, failed: boolean, opened: (epoch: number) => bigint): boolean
}

/** Where the state of the circuit stands in its memory; counts may use the words behind it. */
export const STATE = 0
