import type { Socket } from 'node:net'
import { isToken } from '#http'

/** Edit of one write. */
export type WriteEdit = (text: string) => string

/**
 * Edits single writes of a connection, for parts of HTTP/1.1 that undici does not support: `OPTIONS *`, the connection
 * option `TE`, and trailers. It wraps `write()` of the socket for the edited write alone.
 */
export class WriteEditor {
  #socket: Socket | null = null

  attach(socket: Socket): void {
    this.#socket = socket
  }

  /** Edits the next write, which must be text. */
  editNext(edit: WriteEdit): void {
    const socket = this.#socket
    if (socket === null) return
    const write = socket.write.bind(socket) as (text: unknown, ...others: unknown[]) => boolean
    const once = (text: unknown, ...others: unknown[]): boolean => {
      this.leave()
      return write(typeof text === 'string' ? edit(text) : text, ...others)
    }
    socket.write = once as Socket['write']
  }

  /** Stops editing. */
  leave(): void {
    if (this.#socket !== null) delete (this.#socket as { write?: unknown }).write
  }
}

/** The edit of a request head; null for none. */
export function headEdit(isAsteriskForm: boolean, acceptsTrailers: boolean): WriteEdit | null {
  if (!isAsteriskForm && !acceptsTrailers) return null
  return (head) => {
    const line = isAsteriskForm ? head.replace(STANDS_FOR_ASTERISK, '$1*') : head
    return acceptsTrailers ? line.replace(CONNECTION, '$&, TE') : line
  }
}

/** Placeholder path for `*`, which undici does not accept (RFC 9112 section 3.2.4). */
export const ASTERISK_PATH = '/*'
const STANDS_FOR_ASTERISK = /^(OPTIONS )\/\*(?= HTTP\/)/
// RFC 9110 section 10.1.4: TE is hop-by-hop, so Connection names it.
const CONNECTION = /(?<=\r\n)connection: (?:keep-alive|close)(?=\r\n)/

const LAST_CHUNK = '0\r\n\r\n'
const EMPTY_BODY = 'content-length: 0\r\n\r\n'
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Inserts trailers at the end of a chunked body (RFC 9112 section 7.1.2). */
export function trailerEdit(fields: readonly string[]): WriteEdit {
  const section = sectionOf(fields)
  return (text) => {
    if (section === '') return text
    // undici sends an empty body with Content-Length 0: trailers need chunked coding.
    if (text.endsWith(EMPTY_BODY)) return withEmptyBody(text.slice(0, -EMPTY_BODY.length), section)
    if (text.endsWith(`\r\n${LAST_CHUNK}`)) return `${text.slice(0, -2)}${section}\r\n`
    return text.endsWith('\r\n\r\n') ? withEmptyBody(text.slice(0, -2), section) : text
  }
}

function withEmptyBody(head: string, section: string): string {
  return `${head}transfer-encoding: chunked\r\n\r\n0\r\n${section}\r\n`
}

/** Drops fields with invalid characters. */
function sectionOf(fields: readonly string[]): string {
  let section = ''
  for (let i = 0; i < fields.length; i += 2) {
    if (isToken(fields[i]!) && VALUE.test(fields[i + 1]!)) section += `${fields[i]}: ${fields[i + 1]}\r\n`
  }
  return section
}
