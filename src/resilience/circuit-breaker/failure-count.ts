/** A lock-free count of the failures of one closed circuit. */
export interface FailureCount {
  /**
   * Adds the outcome of a request; ignored where its epoch has ended. At the limit the state becomes the word that `opened`
   * returns. True for the one caller that opened the circuit.
   */
  add(epoch: number, failed: boolean, opened: (epoch: number) => bigint): boolean
}

/** Index of the state of the circuit; counts use the words behind it. */
export const STATE = 0
