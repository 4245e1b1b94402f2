import type { IncomingMessage } from 'node:http'

/** Reads a body as text; null where it is longer than allowed. */
export async function readBody(request: IncomingMessage, most: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A body that must be a JSON object; an empty one counts as `{}`, anything else is null. */
export function readJsonObject(body: string): Readonly<Record<string, unknown>> | null {
  if (body.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Whether a Content-Type is of this media type. */
export function isMediaType(contentType: string | undefined, wanted: string): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === wanted
}
