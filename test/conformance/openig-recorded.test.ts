// Compares with recorded responses of a real OpenIG to the same requests with the same route files, and with its requests to the
// application. The table has the reason for each difference; rows without a difference fail.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RunningGateway } from '#test/gateway'
import {
  type RecordedCase,
  type RecordedResponse,
  RecordedSite,
  type RecordedUpstream,
  recordedCases,
} from '#test/recorded-cases'

/** Cases with an intended difference. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'h-trailing-comma': 'a comma before a closing brace is accepted, as OpenIG 2 does',
  'e-null-name': 'a member that no request has is an error at load',
  'r-session-route-named':
    'the cookie of a session has HttpOnly and SameSite, no Expires, and is set only when the session changes',
  'f-basic-cached': 'the cookie of the session is not sent to the application',
  'g-null': 'a script that returns null is a fault: 500, with a message that says what to return',
  'g-f-promise-null': 'a promise of null is a fault too',
  'g-contexts': 'there is a context accessAuditExtension, and the router context is the last one',
  'g-args-clash': 'an argument with the name of a binding is refused at load',
  'g-headers-gstring': 'a GString as header value is its text',
  'g-entity-form': 'content without a charset is UTF-8',
  'g-sandbox': 'scripts reach neither processes nor files outside of the instance',
  'h-client-missing': 'a request that would come back to the gateway is 508 before it is sent',
}

const text = (entity: string) => ({ handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } })

/** The file changes that are not part of the recording. */
const CHANGES: Readonly<Record<string, (gateway: RunningGateway) => unknown>> = {
  'r-reload': ({ instance }) => instance.write('config/sub-reload/a.json', text('two')),
  'r-reload-add': ({ instance }) => instance.write('config/sub-reload-add/a.json', text('a')),
  'r-reload-remove': ({ instance }) => instance.remove('config/sub-reload-remove/a.json'),
  'g-file-reload': ({ instance, log }) => {
    const from = log.lines.length
    instance.write('scripts/groovy/re.groovy', "def r = new Response(Status.OK); r.entity.string = 'two'; r")
    return log.until(/script reloaded/, from)
  },
}

const all = recordedCases()
const cases = all ?? []

describe('recorded responses of OpenIG', {
  skip: all === null && 'shared/corpora/openig does not stand beside the checkout',
}, () => {
  let site: RecordedSite

  before(async () => {
    site = await RecordedSite.start(cases)
  })

  after(() => site[Symbol.asyncDispose]())

  test('the corpus has the cases of the table', (t) => {
    const groovy = cases.filter(({ group }) => group === 'groovy').length
    t.diagnostic(`${cases.length - groovy} cases of routes, ${groovy} of Groovy scripts`)
    assert.deepEqual([cases.length - groovy, groovy], [207, 49])
    for (const id of Object.keys(DIFFERENT))
      assert.ok(
        cases.some((recorded) => recorded.id === id),
        id,
      )
  })

  for (const recorded of cases) {
    const reason = DIFFERENT[recorded.id]
    test(`${recorded.id}: ${recorded.what}${reason === undefined ? '' : ` (differs: ${reason})`}`, async () => {
      const expected = comparable(site.filled(recorded.openig), recorded)
      const found = comparable(await site.run(recorded, CHANGES[recorded.id] ?? (() => {})), recorded)
      if (reason === undefined) assert.deepEqual(found, expected, site.problems(recorded.id).join('\n'))
      else assert.notDeepEqual(found, expected, 'the same as recorded; take it out of the table')
    })
  }
})

/** The compared header fields: those named in the recording, and all that begin with X-T. */
function comparable(outcome: RecordedCase['openig'], { group, openig: recorded }: RecordedCase): unknown {
  // Cases of scripts record only some fields of requests to the application.
  const isMarked = (line: string): boolean => group !== 'groovy' && line.startsWith('x-t')
  return {
    answers: outcome.answers.map((answer, at) => ({
      status: answer.status,
      headers: fields(answer, recorded.answers[at], (line) => line.startsWith('x-t')),
      // Error texts differ between servers; they must not contain internals.
      body: answer.status >= 400 && recorded.answers[at]?.body === '' ? '' : answer.body,
    })),
    upstream: outcome.upstream.map((request, at) => ({
      line: request.line,
      headers: fields(request, recorded.upstream[at], isMarked),
      body: request.body,
    })),
  }
}

function fields(
  message: RecordedResponse | RecordedUpstream,
  recorded: RecordedResponse | RecordedUpstream | undefined,
  isMarked: (line: string) => boolean,
): string[] {
  const named = new Set(recorded?.headers.map((line) => line.slice(0, line.indexOf(':'))))
  return (
    message.headers
      .filter((line) => isMarked(line) || named.has(line.slice(0, line.indexOf(':'))))
      // User-Agent differs.
      .filter((line) => !line.startsWith('user-agent: Apache'))
      .map((line) =>
        line
          .replaceAll('; charset', ';charset')
          // OpenIG rewrites the Cookie field without quotes.
          .replace(/^(cookie: .*)"q v"/, '$1q v')
          .replace(/^(set-cookie: mine=)[^;]*(; Expires=)[^;]*/, '$1V$2D')
          .trimEnd(),
      )
      .sort()
  )
}
