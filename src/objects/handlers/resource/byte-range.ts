/** A part of a file, both ends included. */
interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * The requested range (RFC 9110 section 14.1.2). Null where the whole file is sent: without a range, with an invalid one, or with
 * several, which a server may ignore and which can be used to overload it.
 */
export function byteRange(value: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(value ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return null
  if (first >= size) return 'unsatisfiable'
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
