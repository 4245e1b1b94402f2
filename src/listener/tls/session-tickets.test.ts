import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { type ServerTls, TicketSecrets } from '#contracts'
import { type Exchange, respond } from '#http'
import { Authority, Changing, type Issued, identityOf, opensslMissing, serverTlsOf, trustIn } from '#test/certificates'
import { type Listening, listening } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
const other = authority?.issue({ name: 'other.example' }) as Issued
after(() => authority?.[Symbol.dispose]())

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']

/** A listener of a unit: units share secrets, and the scope of a connector. */
function unit(secrets: TicketSecrets, fields: Partial<ServerTls> = {}, scope = 'connector 0'): Promise<Listening> {
  const certificates = async ({ client }: Exchange) => respond(200, {}, String(client.certificates.length))
  return listening(certificates, { tls: serverTlsOf(issued, fields), tickets: { secrets, scope } })
}

/** A client that keeps the last session it got. */
class Client {
  readonly #options: object
  session: Buffer | undefined
  certificates = ''

  constructor(version: SecureVersion, more: object = {}) {
    this.#options = { minVersion: version, maxVersion: version, rejectUnauthorized: false, ...more }
  }

  /** Whether one request on a new connection resumed the session. */
  async resumes(port: number, more: object = {}): Promise<boolean> {
    const ended = new Promise<boolean>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', ...this.#options, session: this.session, ...more })
      let text = ''
      let isReused = false
      socket.on('secureConnect', () => {
        isReused = socket.isSessionReused()
        // Node reports a renewed ticket of TLS 1.2 by no event.
        if (isReused) this.session = socket.getSession()
      })
      socket.on('session', (session) => {
        this.session = session
      })
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', reject)
      socket.on('close', () => {
        this.certificates = /\d+$/.exec(text)?.[0] ?? ''
        resolve(isReused)
      })
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    })
    return within('the connection closed', ended)
  }
}

for (const version of VERSIONS) {
  test(
    `a session of one unit is resumed by any other, also after a renewed certificate (${version})`,
    options,
    async () => {
      const secrets = TicketSecrets.create()
      const keys = new Changing<readonly Issued[]>([issued])
      const tls = serverTlsOf(keys)
      const first = { tls, tickets: { secrets, scope: 'connector 0' } }
      await using one = await listening(async () => respond(200), first)
      await using two = await unit(secrets)
      const client = new Client(version)
      assert.equal(await client.resumes(one.port), false)
      for (const { port } of [two, one, two, one]) assert.equal(await client.resumes(port), true)
      keys.set([other])
      await waitUntil('the certificate was renewed', () => one.log.lines.join().includes('read again'))
      for (const { port } of [one, two]) assert.equal(await client.resumes(port), true)
    },
  )

  test(
    `a ticket is accepted for one period after a rotation, and refused after the next (${version})`,
    options,
    async () => {
      const secrets = TicketSecrets.create()
      await using one = await unit(secrets)
      await using two = await unit(secrets)
      const client = new Client(version)
      await client.resumes(one.port)
      const old = client.session
      secrets.rotate()
      assert.equal(await client.resumes(two.port), true)
      const renewed = client.session
      secrets.rotate()
      client.session = old
      assert.equal(await client.resumes(two.port), false)
      // A ticket that was accepted in its last period was replaced by a new one.
      client.session = renewed
      assert.equal(await client.resumes(one.port), true)
    },
  )

  test(
    `a ticket is not accepted by another connector, nor with other secrets (B106, ${version})`,
    options,
    async () => {
      const secrets = TicketSecrets.create()
      await using one = await unit(secrets)
      await using connector = await unit(secrets, {}, 'connector 1')
      await using gateway = await unit(TicketSecrets.create())
      const client = new Client(version)
      await client.resumes(one.port)
      const { session } = client
      for (const { port } of [connector, gateway]) {
        client.session = session
        assert.equal(await client.resumes(port), false)
      }
    },
  )

  test(`sessions of several server names are resumed across units (${version})`, options, async () => {
    const secrets = TicketSecrets.create()
    const identities = { localhost: [identityOf(issued)], other: [identityOf(other)] }
    const fields: Partial<ServerTls> = {
      identitiesFor: async (name) => (name === 'other.example' ? identities.other : identities.localhost),
    }
    await using one = await unit(secrets, fields)
    await using two = await unit(secrets, fields)
    for (const servername of ['localhost', 'other.example']) {
      const client = new Client(version, { servername })
      assert.equal(await client.resumes(one.port), false)
      assert.equal(await client.resumes(two.port), true)
    }
  })

  test(
    `client certificates are verified on each connection: there is no resumption (B106, ${version})`,
    options,
    async () => {
      const secrets = TicketSecrets.create()
      const shown = { key: other.key, cert: other.chain }
      for (const clientAuth of ['REQUIRED', 'REQUEST'] as const) {
        const fields = { clientAuth, trust: trustIn(authority!.certificate) }
        await using one = await unit(secrets, fields)
        await using two = await unit(secrets, fields)
        const client = new Client(version, shown)
        for (const { port } of [one, two, one, one]) {
          assert.equal(await client.resumes(port), false)
          assert.equal(client.certificates, '2')
        }
        // Of a connector that trusts others, without client certificates.
        await using open = await unit(secrets)
        const anonymous = new Client(version)
        await anonymous.resumes(open.port)
        if (clientAuth === 'REQUIRED') await assert.rejects(anonymous.resumes(one.port))
      }
    },
  )
}

test('tickets that are no tickets lead to a full handshake', options, async () => {
  const secrets = TicketSecrets.create()
  await using one = await unit(secrets)
  const client = new Client('TLSv1.2')
  await client.resumes(one.port)
  const { session } = client
  for (let at = 0; at < session!.length; at += 7) {
    const broken = Buffer.from(session!)
    broken[at] = broken[at]! ^ 0xff
    client.session = broken
    // A client may refuse to use it at all; the server goes on in any case.
    await client.resumes(one.port).catch(() => {})
  }
  client.session = session
  assert.equal(await client.resumes(one.port), true)
})
