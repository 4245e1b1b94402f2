import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyValueStore } from '#control'
import { parseSetCookie, Response, type Session } from '#http'
import { manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { USERS } from './application-content.ts'
import { StoredRevocations } from './stored-revocations.ts'
import { storedSessions } from './stored-sessions.ts'

/** Sessions of a gateway that has room for six in use. */
function sessions() {
  const clock = manualClock()
  const keyValues = new KeyValueStore(clock, { count: 8 })
  const store = keyValues.space('session')
  const onDispose = () => {}
  const revocations = new StoredRevocations({ store, sessionTimeout: 60_000, isShared: true, clock, onDispose })
  const cookie = { name: 'sid', path: '/', httpOnly: true, sameSite: 'LAX' } as const
  const manager = storedSessions(store, 60_000, cookie, revocations)
  /** One request; returns the cookie that the browser has after it. */
  return async (sent: string, use: (session: Session) => void = () => {}): Promise<string> => {
    const open = await manager.open(exchangeFor('GET', 'http://app.example/', { headers: { Cookie: sent } }))
    use(open.session)
    const response = new Response(200)
    await open.save(response)
    const field = response.headers.get('set-cookie')
    return field === null ? sent : `sid=${parseSetCookie(field).value}`
  }
}

test('the cookie of an older gateway with the session of a nested manager behind it is that of the outer session', async () => {
  const visit = sessions()
  const cookie = await visit('', (session) => session.set('count', 1))
  let found: unknown = null
  await visit(`${cookie}!${'x'.repeat(43)}`, (session) => {
    found = session.get('count')
  })
  assert.equal(found, 1)
})

for (const [who, identify] of [
  ['of a login', (session: Session) => session.renew?.()],
  ['with the cookies of a known user', (session: Session) => session.set(USERS, { am: '/ demo' })],
] as const) {
  test(`a session ${who} outlasts those of visitors, also in use`, async () => {
    const visit = sessions()
    let user = await visit('', (session) => session.set('tokens', 'of a user'))
    user = await visit(user, identify)
    await visit(user)
    for (let visitor = 0; visitor < 20; visitor += 1) {
      const cookie = await visit('', (session) => session.set('managed cookies', 'of a visitor'))
      await visit(cookie)
      await visit(cookie)
    }
    let found: unknown = null
    await visit(user, (session) => {
      found = session.get('tokens')
    })
    assert.equal(found, 'of a user')
  })
}
