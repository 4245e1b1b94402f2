import { randomBytes } from 'node:crypto'
import { sendRequest } from '../send-request.ts'
import { type Attack, pick } from './attack.ts'

/** What scripts commonly do with a body, by the last part of the path. */
const SOURCE = [
  "def text = request.entity.string; def name = request.headers['X-Name'].firstValue",
  'def found',
  'switch (request.uri.path.tokenize("/").last()) {',
  '  case \'xml\': def root = new XmlSlurper().parseText(text); found = root.children().size() + (root."$name".text()); break',
  "  case 'json': def value = new groovy.json.JsonSlurper().parseText(text)",
  '    found = groovy.json.JsonOutput.prettyPrint(groovy.json.JsonOutput.toJson(value)).size() + "${value[name]}"; break',
  "  case 'number': found = new BigDecimal(text).stripTrailingZeros().toPlainString().size(); break",
  '  default: def half = text.substring(0, text.size().intdiv(2))',
  "    found = [text.contains(half + '!'), text.indexOf(half + '!'), text.replace(half, '').size(), text.count(half), text.toUpperCase().size()]",
  '}',
  'def response = new Response(Status.OK); response.entity = found.toString(); return response',
]

/** A route whose Groovy script reads what its clients send. */
export const SCRIPT_ROUTE = {
  condition: "${find(request.uri.path, '^/script')}",
  handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', source: SOURCE } },
}

const prefixes = Array.from({ length: 1_200 }, (_, at) => `xmlns:p${at}="urn:${at}"`)

const BODIES: readonly (readonly [string, string])[] = [
  ['xml', `<a ${prefixes.join(' ')}>${'<b>'.repeat(400)}${'</b>'.repeat(400)}</a>`],
  ['xml', `<a>${'<b/>'.repeat(20_000)}</a>`],
  ['json', JSON.stringify('"'.repeat(100_000))],
  ['json', `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`],
  ['json', `[${'1e400,'.repeat(20_000)}1]`],
  ['number', `1.${'0'.repeat(49_000)}`],
  ['number', `${'9'.repeat(200_000)}`],
  ['text', 'ab'.repeat(200_000)],
  ['text', 'a'.repeat(400_000)],
]

/** Bodies that are dear to the library calls of scripts, and names that no other request has. */
export const scriptBodies: Attack = {
  name: 'script bodies',
  clients: 1,
  async turn({ port }, round) {
    const [kind, body] = pick(BODIES, round)
    const headers = { 'X-Name': randomBytes(12).toString('hex') }
    const signal = AbortSignal.timeout(5_000)
    // Most of them end in an error, or are stopped.
    await sendRequest(`http://127.0.0.1:${port}/script/${kind}`, { method: 'POST', headers, body, signal }).catch(
      () => {},
    )
  },
}
