/** An unhandled error with its own status for the client; any other error is 500. */
export abstract class StatusError extends Error {
  abstract readonly status: number
  /** Names the error, without data of the request. */
  abstract readonly code: string
}
