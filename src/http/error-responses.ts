import { acceptedFormat, type ErrorFormat, setErrorContent } from './error-content.ts'
import type { Exchange } from './exchange.ts'
import type { Response } from './response.ts'

/** Content of error responses that the gateway makes (`errors` of admin.json). */
export interface ErrorResponses {
  readonly format: ErrorFormat | 'auto'
  /** Makes the content in place of the format; null without a handler. */
  readonly handle: ((exchange: Exchange, response: Response) => Promise<Response>) | null
}

/** Sets the content of a response that the gateway made for an error; other responses are not touched. */
export function presentError(
  { format }: Pick<ErrorResponses, 'format'>,
  response: Response,
  accept: string | null,
  transactionId: string,
): void {
  if (!response.isGenerated) return
  const chosen = format === 'auto' ? acceptedFormat(accept) : format
  if (chosen !== null) setErrorContent(response, chosen, transactionId)
}
