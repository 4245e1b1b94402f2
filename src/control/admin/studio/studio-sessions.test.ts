import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StudioSessions } from './studio-sessions.ts'

const MINUTE = 60_000

function opened(password: string | null = 'secret') {
  const state = { password, time: 0 }
  const sessions = new StudioSessions({
    limits: { idleTimeout: 30 * MINUTE, sessionTimeout: 12 * 60 * MINUTE },
    clock: { monotonic: () => state.time },
    password: () => state.password,
  })
  return { state, sessions }
}

describe('sessions of the Studio', () => {
  test('the password is verified, and an unknown id has no session', () => {
    const { sessions, state } = opened()
    assert.deepEqual([sessions.verify('secret'), sessions.verify('Secret'), sessions.verify('')], [true, false, false])
    assert.equal(sessions.use('x'), null)
    state.password = null
    assert.equal(sessions.verify(''), false)
  })

  test('a session ends when it is not used for the idle time, and after the session time in any case', () => {
    const { sessions, state } = opened()
    const [idle, used] = [sessions.open('secret'), sessions.open('secret')]
    for (let half = 1; half < 48; half++) {
      state.time = half * 15 * MINUTE
      assert.notEqual(sessions.use(used), null)
      assert.equal(sessions.find(idle) === null, half > 1, 'a look at a session does not prolong it')
    }
    state.time = 12 * 60 * MINUTE
    assert.equal(sessions.use(used), null)
    assert.equal(sessions.size, 0)
  })

  test('an open stream does not prolong its session, requests of a visible page do, up to the session time (studio-idle)', () => {
    const { sessions, state } = opened()
    const [hidden, visible] = [sessions.open('secret'), sessions.open('secret')]
    const ended: string[] = []
    for (const [name, id] of Object.entries({ hidden, visible })) {
      const session = sessions.use(id)
      assert.ok(session !== null)
      sessions.watch(session, () => ended.push(`${name} after ${state.time / MINUTE} minutes`))
    }
    for (let minute = 1; minute <= 12 * 60; minute++) {
      state.time = minute * MINUTE
      sessions.use(visible)
      sessions.check()
    }
    sessions[Symbol.dispose]()
    assert.deepEqual(ended, ['hidden after 30 minutes', 'visible after 720 minutes'])
  })

  test('a changed or removed password ends every session, with a callback for its streams', () => {
    for (const password of ['other', null]) {
      const { sessions, state } = opened()
      const session = sessions.use(sessions.open('secret'))
      assert.ok(session !== null)
      let ended = 0
      sessions.watch(session, () => ended++)
      sessions.watch(session, () => ended++)()
      sessions.check()
      assert.equal(ended, 0)
      state.password = password
      sessions.check()
      sessions.check()
      assert.deepEqual([ended, sessions.size], [1, 0])
      sessions[Symbol.dispose]()
    }
  })

  test('a password that can not be read for a while refuses sessions and ends their streams, and the sessions go on', () => {
    const unreadable = new Error('EACCES: permission denied')
    const state: { password: string; error: Error | null; time: number } = { password: 'secret', error: null, time: 0 }
    const sessions = new StudioSessions({
      limits: { idleTimeout: 30 * MINUTE, sessionTimeout: 12 * 60 * MINUTE },
      clock: { monotonic: () => state.time },
      password: () => {
        if (state.error !== null) throw state.error
        return state.password
      },
    })
    const [id, idle] = [sessions.open('secret'), sessions.open('secret')]
    const session = sessions.use(id)
    assert.ok(session !== null)
    let ended = 0
    sessions.watch(session, () => ended++)
    state.error = unreadable
    sessions.check()
    sessions.check()
    assert.equal(ended, 1)
    assert.throws(() => sessions.use(id), unreadable)
    state.error = null
    state.time = 29 * MINUTE
    assert.notEqual(sessions.use(id), null)
    state.error = unreadable
    state.time = 30 * MINUTE
    sessions.check()
    assert.equal(sessions.size, 1, 'the limits of time apply')
    state.error = null
    state.password = 'other'
    assert.deepEqual([sessions.use(id), sessions.use(idle), sessions.size], [null, null, 0])
    sessions[Symbol.dispose]()
  })

  test('log-out ends one session', () => {
    const { sessions } = opened()
    const [one, two] = [sessions.open('secret'), sessions.open('secret')]
    assert.deepEqual([sessions.close(one), sessions.close(one)], [true, false])
    assert.deepEqual([sessions.use(one) === null, sessions.use(two) === null], [true, false])
  })

  test('more than a hundred sessions end the one that was used least recently', () => {
    const { sessions } = opened()
    const ids = Array.from({ length: 100 }, () => sessions.open('secret'))
    sessions.use(ids[0] as string)
    sessions.open('secret')
    assert.equal(sessions.size, 100)
    assert.deepEqual([sessions.use(ids[0] as string) === null, sessions.use(ids[1] as string) === null], [false, true])
  })
})
