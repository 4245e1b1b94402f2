/** Protocol errors that are about the records themselves: the same records would be refused again. */
const ABOUT_RECORDS = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP']

const MAX_DEPTH = 8
const MAX_REASON = 300

/** The errors inside of an error: the library nests those of brokers and attempts. */
function* leaves(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > MAX_DEPTH) return
  const inner = [...(error instanceof AggregateError ? error.errors : []), error.cause].filter(
    (each) => each instanceof Error,
  )
  if (inner.length === 0) yield error
  for (const each of inner) yield* leaves(each, depth + 1)
}

function protocolCode(error: Error): string | null {
  const { apiId } = error as { apiId?: unknown }
  return typeof apiId === 'string' ? apiId : null
}

/** Whether a broker has refused records for good. Brokers that failed for other reasons are tried again first. */
export function isAboutRecords(error: unknown): boolean {
  const codes = Array.from(leaves(error), protocolCode)
  return codes.length > 0 && codes.every((code) => code !== null && ABOUT_RECORDS.includes(code))
}

/** The reasons of a failure, without the stacks and the responses that the library adds. */
export function describeKafkaError(...errors: readonly unknown[]): string {
  const reasons = errors
    .flatMap((error) => [...leaves(error)])
    .map((each) => {
      const code = protocolCode(each)
      return code === null ? each.message : `${code}: ${each.message}`
    })
  return [...new Set(reasons)].join('; ').slice(0, MAX_REASON) || 'the client failed without a reason'
}
