import { type Body, type BodyControl, type Message, mediaType, type TemporaryStorage } from '#http'
import { maskContent } from './secret-text.ts'

const TEXT = /^text\/|json|[/+]xml$|^application\/(?:x-www-form-urlencoded|javascript|graphql|yaml)$/
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

/**
 * The content of a message for the log; null if missing. Reading it buffers the body in the storage, so that it is sent unchanged.
 */
export async function capturedEntity(
  { headers, body }: Pick<Message, 'headers' | 'body'>,
  storage: TemporaryStorage,
  maxLength: number,
): Promise<string | null> {
  if (body.isEmpty) return null
  const contentType = headers.get('content-type')
  if (contentType === null) return '[content-type not set]'
  const type = mediaType(headers)
  // An event stream may never end.
  if (type === 'text/event-stream') return '[stream]'
  const [charset, quoted, plain] = CHARSET.exec(contentType) ?? [null]
  // Compressed text is not decompressed for the log (threats B88).
  const encoding = headers.get('content-encoding') ?? 'identity'
  if ((charset === null && !TEXT.test(type)) || encoding.trim().toLowerCase() !== 'identity') return '[binary entity]'
  const decoder = decoderFor(quoted || plain || 'utf-8')
  if (decoder === null) return '[binary entity]'
  if (!body.isAvailable) return '[entity already read]'
  if (!(await body.bufferIfFits(storage))) return '[entity too long to be kept]'
  if (body.isEmpty) return null
  const bytes = await beginningOf(body, maxLength)
  const isCut = body.length !== null && body.length > bytes.length
  const text = maskContent(decoder.decode(bytes, { stream: isCut }), type)
  return isCut ? `${text}...[the first ${bytes.length} of ${body.length} bytes]` : text
}

function decoderFor(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset)
  } catch {
    return null
  }
}

/** The first bytes of a buffered body; the rest of a file is not read. */
function beginningOf(body: Body, maxLength: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Uint8Array[] = []
  let length = 0
  let control: BodyControl | null = null
  const finish = () => {
    resolve(Buffer.concat(chunks).subarray(0, maxLength))
    control?.cancel()
  }
  const write = (chunk: Uint8Array): boolean => {
    if (length >= maxLength) return false
    chunks.push(chunk)
    length += chunk.length
    if (length < maxLength) return true
    finish()
    return false
  }
  control = body.pipe({ write, end: finish, fail: reject })
  if (length >= maxLength) control.cancel()
  return promise
}
