import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OAuth2InfoContext, SsoTokenContext } from '#contracts'
import { type Exchange, type Session, transientSession } from '#http'
import { exchangeFor } from '#test/exchange'
import {
  claimContent,
  dropContent,
  dropContentOfOthers,
  MANAGED_COOKIES,
  SENT_CREDENTIALS,
} from './application-content.ts'

const CONTENT = [MANAGED_COOKIES, `${SENT_CREDENTIALS}http:app:80`]

function sessionWithContent(): Session {
  const session = transientSession()
  for (const key of [...CONTENT, 'cart']) session.set(key, 'x')
  return session
}

const anonymous = (session: Session): Exchange => exchangeFor('GET', 'http://app/').withSession(session)

const atAccessManager = (session: Session, universalId: string): Exchange =>
  anonymous(session).with(SsoTokenContext, { value: 'token', info: {}, loginEndpoint: '', universalId })

const atProvider = (session: Session, iss: string, sub: string, endpoint = `/login/${iss}`): Exchange =>
  anonymous(session).with(OAuth2InfoContext, {
    access_token: null,
    scopes: [],
    id_token: null,
    id_token_claims: { iss, sub },
    expires_in: null,
    user_info: null,
    client_registration: 'client',
    client_endpoint: endpoint,
  })

const contentOf = (session: Session): string[] => CONTENT.filter((key) => session.get(key) !== null)

describe('content for applications in a session', () => {
  test('of a user is dropped with the first request of another user; other entries stay', () => {
    const session = sessionWithContent()
    claimContent(atAccessManager(session, 'alice'))
    dropContentOfOthers(atAccessManager(session, 'alice'))
    assert.deepEqual(contentOf(session), CONTENT)
    dropContentOfOthers(atAccessManager(session, 'bob'))
    assert.deepEqual(contentOf(session), [])
    assert.equal(session.get('cart'), 'x')
  })

  test('from before a login belongs to the user who logs in first', () => {
    const session = sessionWithContent()
    dropContentOfOthers(anonymous(session))
    dropContentOfOthers(atAccessManager(session, 'alice'))
    assert.deepEqual(contentOf(session), CONTENT)
    dropContentOfOthers(atAccessManager(session, 'bob'))
    assert.deepEqual(contentOf(session), [])
  })

  test('stays for requests without a user, and for one person with names of several providers', () => {
    const session = sessionWithContent()
    const names = [
      atAccessManager(session, 'id=alice,ou=user'),
      atProvider(session, 'https://one.example', 'alice'),
      atProvider(session, 'https://two.example', '7'),
      anonymous(session),
    ]
    for (const exchange of [...names, ...names]) dropContentOfOthers(exchange)
    assert.deepEqual(contentOf(session), CONTENT)
    dropContentOfOthers(atProvider(session, 'https://two.example', '8'))
    assert.deepEqual(contentOf(session), [])
  })

  test('is dropped where another user logs in at another provider of the same filter', () => {
    const session = sessionWithContent()
    claimContent(atProvider(session, 'https://one.example', '7', '/login'))
    dropContentOfOthers(atProvider(session, 'https://two.example', '7', '/login'))
    assert.deepEqual(contentOf(session), [])
  })

  test('is dropped at a logout', () => {
    const session = sessionWithContent()
    claimContent(atAccessManager(session, 'alice'))
    dropContent(session)
    assert.deepEqual([...session.keys()], ['cart'])
  })

  test('a session without it is not changed by requests of users', () => {
    const session = transientSession()
    dropContentOfOthers(atAccessManager(session, 'alice'))
    assert.equal(session.isEmpty, true)
  })
})
