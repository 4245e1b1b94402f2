// Log entries about decisions, and about an unavailable access manager.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { PAGE, type ProtectedPages, policy, protectedPages, READERS, singleSignOn } from '#test/protected-pages'

const entries = ({ built }: ProtectedPages, message: RegExp): JsonObject[] =>
  built.log.lines
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ message: text }) => message.test(String(text)))

test('at debug each decision is logged with its resource, method, realm, policy set and actions, from the cache or not', async () => {
  await using pages = await protectedPages([policy({ application: 'Pages', cache: { enabled: true } })])
  pages.manager.putPolicy({ ...READERS, applicationName: 'Pages' })
  const session = pages.manager.login('demo')
  await pages.ask(session)
  await pages.ask(session, { method: 'POST' })
  const lines = entries(pages, /^policy decision$/)
  assert.deepEqual(
    lines.map(({ level, resource, method, realm, policySet, actions, cached }) => ({
      ...{ level, resource, method, realm, policySet, actions, cached },
    })),
    [
      ['GET', false],
      ['POST', true],
    ].map(([method, cached]) => ({
      ...{ level: 'debug', resource: PAGE, method, realm: '/', policySet: 'Pages' },
      ...{ actions: { GET: true, POST: false }, cached },
    })),
  )
  assert.equal(typeof lines[0]?.['transactionId'], 'string')
  assert.equal(
    pages.built.log.lines.some((line) => line.includes(session)),
    false,
  )
})

test('credentials in the query of a resource are not logged', async () => {
  await using pages = await protectedPages([policy()])
  pages.manager.putPolicy(READERS)
  const url = `${PAGE}&access_token=S3CRET&%63ode=S3CRET&flag&__Z=1`
  assert.equal((await pages.ask(pages.manager.login('demo'), { url })).status, 200)
  const [line] = entries(pages, /^policy decision$/)
  assert.equal(line?.['resource'], `${PAGE}&access_token=[redacted]&%63ode=[redacted]&flag&__Z=1`)
})

test('a rejected subject is logged with the evaluation request', async () => {
  await using pages = await protectedPages([policy()], { manager: { family: 'openam' } })
  await pages.ask('unknown-session')
  const [line] = entries(pages, /^no policy decision$/)
  assert.deepEqual([line?.['resource'], line?.['method'], line?.['cached']], [PAGE, 'GET', false])
  assert.match(String(line?.['reason']), /subject/)
})

for (const [name, filters, message] of [
  ['SingleSignOnFilter', [singleSignOn()], /^session lookup failed: requests of this route get 503$/],
  ['PolicyEnforcementFilter', [policy()], /^policy decision unavailable: requests of this route get 503$/],
] as const) {
  test(`F11: ${name}: an unavailable access manager is logged once in ten seconds, with a count`, async () => {
    await using pages = await protectedPages(filters, { am: { notifications: { enabled: false } } })
    const session = pages.manager.login('demo')
    await pages.ask(session)
    await pages.manager.close()
    const before = pages.built.log.lines.length
    for (let at = 0; at < 30; at++) assert.equal((await pages.ask(session)).status, 503)
    assert.equal(entries(pages, message).length, 1)
    pages.clock.advance(10_000)
    await pages.ask(session)
    const [first, second] = entries(pages, message)
    assert.equal(second?.['suppressed'], 29)
    assert.match(JSON.stringify(first), /the access manager (can not be reached|did not respond)/)
    assert.doesNotMatch(pages.built.log.lines.slice(before).join('\n'), /application/)
  })
}

test('a failed login of the agent is logged as the reason of failed lookups of sessions and decisions', async () => {
  const agent = { username: 'ig_agent', passwordSecretId: 'wrong.password' }
  for (const filters of [[singleSignOn()], [policy()]]) {
    await using pages = await protectedPages(filters, { am: { agent, notifications: { enabled: false } } })
    assert.equal((await pages.ask(pages.manager.login('demo'))).status, 503)
    const [line] = entries(pages, /requests of this route get 503$/)
    assert.match(
      JSON.stringify(line),
      /does not let the agent log in \(401\); check its name, password, realm and journey/,
    )
  }
})
