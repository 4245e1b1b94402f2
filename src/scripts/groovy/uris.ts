// `Uris`: encodings of the parts of a URI, and URIs from parts.
import { exceptions, javaUri, type MapValue, textOf, type Value } from '@identity-gateway/groovy'
import { formatQuery, Uri } from '#http'
import { hostForm } from './form.ts'
import { extendWithHost, gatewayClass } from './host-class.ts'

const UrisClass = gatewayClass('http.util.Uris')

/** Characters of each part that are not encoded (RFC 3986), beside letters, digits and `-._~`. */
const SAFE = {
  pathElement: "!$&'()*+,;=:@",
  query: "!$'()*,;:@/?",
  fragment: "!$&'()*+,;=:@/?",
  userInfo: "!$&'()*+,;=:",
}

/** A function that encodes a part; null stays null. */
function encoder(safe: string): (text: string | null) => string | null {
  return (text) =>
    text === null
      ? null
      : encodeURIComponent(text.toWellFormed()).replaceAll(/%[0-9A-F]{2}|[!'()*]/g, (piece) => {
          const character = piece.length === 1 ? piece : String.fromCharCode(Number.parseInt(piece.slice(1), 16))
          if (safe.includes(character)) return character
          return piece.length === 1 ? `%${piece.charCodeAt(0).toString(16).toUpperCase()}` : piece
        })
}

function decode(text: string | null, plusIsSpace: boolean): string | null {
  if (text === null) return null
  const bad = /%(?![0-9a-fA-F]{2})(.{0,2})/.exec(text)
  if (bad !== null) {
    const what = bad[1]?.length === 2 ? `an invalid percent encoding '${bad[1]}'` : 'an incomplete percent encoding'
    throw exceptions.illegalArgument(`Path contains ${what}`)
  }
  return (plusIsSpace ? text.replaceAll('+', ' ') : text).replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

const formEncode = (text: string | null): string | null =>
  text === null
    ? null
    : encodeURIComponent(text.toWellFormed())
        .replaceAll('%20', '+')
        .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

type Part = string | null

/** A URI of raw parts. */
function created(scheme: Part, user: Part, host: Part, port: number, path: Part, query: Part, fragment: Part): Value {
  return javaUri(
    [
      scheme === null ? '' : `${scheme}:`,
      host === null ? '' : '//',
      user === null ? '' : `${user}@`,
      host ?? '',
      host === null || port === -1 ? '' : `:${port}`,
      path ?? '',
      query === null ? '' : `?${query}`,
      fragment === null ? '' : `#${fragment}`,
    ].join(''),
  )
}

/** Encodes characters of a query that are not allowed there. */
function safeQuery(query: Part): Part {
  const encode = encoder(SAFE.query)
  const pair = (text: string): string =>
    text
      .split(/=(.*)/s, 2)
      .map((each) => encode(decode(each, true)))
      .join('=')
  return (
    query
      ?.split('&')
      .filter((each) => each !== '')
      .map(pair)
      .join('&') ?? null
  )
}

/** A changed copy of a URI, as java.net.URI. */
function changed(uri: Value, change: (uri: Uri) => void): Value {
  const copy = Uri.parse(textOf(uri))
  change(copy)
  return javaUri(copy.toString())
}

const PARTS =
  'String? scheme, String? rawUserInfo, String? host, int port, String? rawPath, String? rawQuery, String? rawFragment'

extendWithHost(UrisClass, {
  [`static create(${PARTS}): URI`]: created,
  [`static createNonStrict(${PARTS}): URI`]: (
    ...[scheme, user, host, port, path, query, fragment]: Parameters<typeof created>
  ) => created(scheme, user, host, port, path, safeQuery(query), fragment),
  'static rebase(Object uri, Object? base): URI': (uri: Value, base: Value) =>
    changed(uri, (copy) => {
      const target = base === null ? null : Uri.parse(textOf(base))
      if (target !== null && target.scheme !== '' && target.host !== '') copy.rebase(target)
    }),
  'static withQuery(Object uri, Map query): URI': (uri: Value, query: MapValue) =>
    changed(uri, (copy) => {
      copy.rawQuery = formatQuery(hostForm(query))
    }),
  'static withoutQueryAndFragment(Object uri): URI': (uri: Value) =>
    changed(uri, (copy) => {
      copy.rawQuery = null
      copy.rawFragment = null
    }),
  'static formEncodeParameterNameOrValue(String? text): String': formEncode,
  'static formDecodeParameterNameOrValue(String? text): String': (text: Part) => decode(text, true),
  'static urlEncodeQueryParameterNameOrValue(String? text): String': encoder(SAFE.query),
  'static urlDecodeQueryParameterNameOrValue(String? text): String': (text: Part) => decode(text, true),
  'static urlEncodePathElement(String? text): String': encoder(SAFE.pathElement),
  'static urlDecodePathElement(String? text): String': (text: Part) => decode(text, false),
  'static urlEncodeFragment(String? text): String': encoder(SAFE.fragment),
  'static urlDecodeFragment(String? text): String': (text: Part) => decode(text, false),
  'static urlEncodeUserInfo(String? text): String': encoder(SAFE.userInfo),
  'static urlDecodeUserInfo(String? text): String': (text: Part) => decode(text, false),
})
