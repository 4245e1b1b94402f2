import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import type { ClientTls } from '#contracts'
import { Authority, Changing, clientTlsOf, type Issued, keysOf, opensslMissing } from '#test/certificates'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { ofKind, put, watching, write } from '#test/etcd-requests'
import { TcpPeer } from '#test/tcp-peer'
import { waitUntil } from '#test/waiting'
import type { EtcdClient, EtcdSettings } from './index.ts'

/** A member answers this with a token that it does not know. */
async function hasLeader(client: EtcdClient): Promise<boolean> {
  return (await client.status().catch(() => null))?.hasLeader ?? false
}

describe('with user and password', { skip: etcdMissing }, () => {
  let member: EtcdMember
  const open = (username: string | null, password: string | null = `secret-${username}`, settings = {}) =>
    etcdClient([member], { username, password: () => password, ...settings })

  before(async () => {
    member = await EtcdMember.start(['--auth-token-ttl=2'])
    await member.enableAuthentication({ gateway: '/gateway/' })
  })

  after(() => member[Symbol.asyncDispose]())

  test('a user has the keys of its role, and no others', async () => {
    await using client = open('gateway')
    const { revision } = await write(client, put('/gateway/a', '1'))
    await assert.rejects(write(client, put('/other', '1')), ofKind('denied', /permission denied/))
    await assert.rejects(client.get('/other'), ofKind('denied'))
    using allowed = watching(client, { prefix: '/gateway/', from: revision })
    using denied = watching(client, { prefix: '/other/', from: revision })
    await waitUntil('the change was delivered', () => allowed.all.length === 1)
    assert.ok(ofKind('denied')(await denied.ends()))
    const { lease } = await client.grantLease(5)
    await client.keepAlive(lease)
    await client.revokeLease(lease)
  })

  test('a wrong, missing or absent password is an error of authentication that does not quote it', async () => {
    await using wrong = open('gateway', 'wrong-4711')
    for (const call of [wrong.get('/gateway/a'), wrong.get('/gateway/a'), write(wrong, put('/gateway/a', '1'))]) {
      await assert.rejects(call, (error: Error) => {
        assert.doesNotMatch(inspect(error), /4711/)
        return ofKind('authentication', /invalid user ID or password/)(error)
      })
    }
    using watch = watching(wrong, { key: '/gateway/a', from: 1n })
    assert.ok(ofKind('authentication')(await watch.ends()))
    await using missing = open('gateway', null)
    await assert.rejects(missing.get('/gateway/a'), ofKind('authentication', /expected a password/))
    await using anonymous = open(null)
    await assert.rejects(anonymous.get('/gateway/a'), ofKind('authentication', /user name is empty/))
  })

  test('a token that the member does not know any more is renewed, for requests and watches', async () => {
    await using client = open('gateway')
    await using other = open('gateway')
    const { revision } = await write(client, put('/gateway/b', '1'))
    await other.get('/gateway/b')
    // Tokens are in the memory of members.
    await member.kill()
    await member.restart()
    await waitUntil('the member had a leader', () => hasLeader(client))
    using watch = watching(client, { key: '/gateway/b', from: revision })
    await waitUntil('the change was delivered', () => watch.all.length === 1)
    assert.ok((await other.get('/gateway/b')).item)
  })

  test('a changed password is used for the next token', async () => {
    let password = 'old'
    await using client = open('gateway', null, { password: () => password })
    await assert.rejects(client.get('/gateway/a'), ofKind('authentication'))
    password = 'secret-gateway'
    assert.ok((await client.get('/gateway/a')).revision > 0n)
  })
})

test('a user of a cluster without authentication needs no token', { skip: etcdMissing }, async () => {
  await using member = await EtcdMember.start()
  await using client = etcdClient([member], { username: 'gateway', password: () => 'secret-gateway' })
  await write(client, put('a', '1'))
  await member.enableAuthentication({ gateway: 'a' })
  // Authentication was enabled since: the token is fetched now.
  assert.equal((await client.get('a')).item?.value.toString(), '1')
})

test('a peer that quotes password and token does not bring them into messages', async () => {
  const answer = (status: string, body: string) =>
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  let tokens = 0
  await using peer = await TcpPeer.start((socket) =>
    socket.on('data', (data) => {
      const text = data.toString()
      if (!text.includes('authenticate'))
        socket.write(answer('400 Bad Request', '{"code":3,"message":"you sent token-4711\\u001b[2J\\n"}'))
      else if (tokens++ === 0) socket.write(answer('200 OK', '{"header":{},"token":"token-4711"}'))
      else socket.write(answer('400 Bad Request', '{"code":3,"message":"you sent pass-4711"}'))
    }),
  )
  const settings = { username: 'gateway', password: () => 'pass-4711' }
  const clean = (error: Error) => {
    assert.doesNotMatch(inspect(error), /4711|\u001b/)
    return ofKind('invalid', /you sent \*\*\*/)(error)
  }
  await using client = etcdClient([`http://127.0.0.1:${peer.port}`], settings)
  await assert.rejects(client.get('a'), clean)
  await using second = etcdClient([`http://127.0.0.1:${peer.port}`], settings)
  await assert.rejects(second.get('a'), clean)
})

describe('with TLS', { skip: etcdMissing || opensslMissing }, () => {
  const tlsOf = (trusted: string, client: Issued | null): ClientTls =>
    clientTlsOf({ certificate: trusted }, { keys: client === null ? null : keysOf(new Changing([client])) })

  test('members are verified by private trust, and see the certificate of the client', async () => {
    using authority = new Authority()
    using other = new Authority('Other')
    const issued = authority.issue({ name: 'etcd', altNames: 'IP:127.0.0.1' })
    const gateway = authority.issue({ name: 'gateway' })
    await using member = await EtcdMember.start([], { authority, issued })
    const settings = (trusted: string, client: Issued | null): Partial<EtcdSettings> => ({
      tls: tlsOf(trusted, client),
    })

    await using good = etcdClient([member], settings(authority.certificate, gateway))
    const { revision } = await write(good, put('a', '1'))
    using watch = watching(good, { key: 'a', from: revision })
    await waitUntil('the change was delivered', () => watch.all.length === 1)

    await using untrusted = etcdClient([member], settings(other.certificate, gateway))
    await assert.rejects(write(untrusted, put('a', '1')), ofKind('unavailable', /certificate/))
    await using anonymous = etcdClient([member], settings(authority.certificate, null))
    await assert.rejects(anonymous.get('a'), ofKind('unavailable', /certificate/))
    await using named = etcdClient(
      [member.url.replace('127.0.0.1', 'localhost')],
      settings(authority.certificate, gateway),
    )
    await assert.rejects(named.get('a'), ofKind('unavailable', /localhost/))
    await using plain = etcdClient([member.url.replace('https', 'http')])
    await assert.rejects(plain.get('a'), ofKind('unavailable'))
  })
})
