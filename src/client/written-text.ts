import type { Socket } from 'node:net'

/** Changes one piece of text on its way to a connection. */
export type TextEdit = (text: string) => string

/**
 * Changes single writes of a connection, where HTTP/1.1 allows what undici has no words for: `OPTIONS *`, the option
 * `TE` of Connection, and trailers. It writes heads and the ends of bodies by `write()`, which is where this sits, for
 * the one write alone: other requests do not pass here.
 */
export class WrittenText {
  #socket: Socket | null = null

  attach(socket: Socket): void {
    this.#socket = socket
  }

  /** Changes the next write, which has to be text. */
  editNext(edit: TextEdit): void {
    const socket = this.#socket
    if (socket === null) return
    const write = socket.write.bind(socket) as (text: unknown, ...others: unknown[]) => boolean
    const once = (text: unknown, ...others: unknown[]): boolean => {
      this.leave()
      return write(typeof text === 'string' ? edit(text) : text, ...others)
    }
    socket.write = once as Socket['write']
  }

  /** Changes nothing any more. */
  leave(): void {
    if (this.#socket !== null) delete (this.#socket as { write?: unknown }).write
  }
}

/** What has to be changed in the head of a request; null for nothing. */
export function headEdit(isAboutServer: boolean, asksForTrailers: boolean): TextEdit | null {
  if (!isAboutServer && !asksForTrailers) return null
  return (head) => {
    const line = isAboutServer ? head.replace(STANDS_FOR_ASTERISK, '$1*') : head
    return asksForTrailers ? line.replace(CONNECTION, '$&, TE') : line
  }
}

/** What undici takes for a path, in the place of the `*` that is meant (RFC 9112 section 3.2.4). */
export const ASTERISK_PATH = '/*'
const STANDS_FOR_ASTERISK = /^(OPTIONS )\/\*(?= HTTP\/)/
// RFC 9110 section 10.1.4: TE is of this connection, and says so.
const CONNECTION = /(?<=\r\n)connection: (?:keep-alive|close)(?=\r\n)/

const LAST_CHUNK = '0\r\n\r\n'
const EMPTY_BODY = 'content-length: 0\r\n\r\n'
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Puts the fields of a trailer section where undici ends a body without any (RFC 9112 section 7.1.2). */
export function trailerEdit(fields: readonly string[]): TextEdit {
  const section = sectionOf(fields)
  return (text) => {
    if (section === '') return text
    // A body without any bytes, of which undici says that there is none: its trailers need chunks to follow.
    if (text.endsWith(EMPTY_BODY)) return withEmptyBody(text.slice(0, -EMPTY_BODY.length), section)
    if (text.endsWith(`\r\n${LAST_CHUNK}`)) return `${text.slice(0, -2)}${section}\r\n`
    return text.endsWith('\r\n\r\n') ? withEmptyBody(text.slice(0, -2), section) : text
  }
}

function withEmptyBody(head: string, section: string): string {
  return `${head}transfer-encoding: chunked\r\n\r\n0\r\n${section}\r\n`
}

/** Fields that would break out of their line are left out; the body is whole without them. */
function sectionOf(fields: readonly string[]): string {
  let section = ''
  for (let i = 0; i < fields.length; i += 2) {
    if (NAME.test(fields[i]!) && VALUE.test(fields[i + 1]!)) section += `${fields[i]}: ${fields[i + 1]}\r\n`
  }
  return section
}
