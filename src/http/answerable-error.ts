/** An error that has a status of its own for the client where nothing on the way handles it; any other is a fault, 500. */
export abstract class AnswerableError extends Error {
  abstract readonly status: number
}
