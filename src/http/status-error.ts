/** An unhandled error with its own status for the client; any other error is 500. */
export abstract class StatusError extends Error {
  abstract readonly status: number
}
