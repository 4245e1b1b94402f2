// The commands and routes of the guide to Keycloak, with the addresses of this run in place of its own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromiumMissing } from '#test/chromium'
import { guideBlocks, guideScript } from '#test/guide'
import { demandLevels } from '../levels.ts'
import { logInWith } from '../login-pages.ts'
import { client, passwordOf, secretOf } from '../realm.ts'
import { publicEndpoints } from '../routes.ts'
import { secureRequest } from '../secure-request.ts'
import { type Addresses, type Part, type Peers, REALM } from '../suite.ts'
import { bearer, tokensOf } from '../tokens.ts'
import { logOutEverywhere } from './back-channel-logout.ts'

const replacedIn = (text: string, at: Addresses): string =>
  text
    .replace(
      /"type": "Issuer",(\s+)"config": \{(?=\s+"wellKnownEndpoint": "https:\/\/keycloak\.internal)/,
      (start) => `${start}${JSON.stringify(publicEndpoints(at)).slice(1, -1)},`,
    )
    // The issuer has the public name, and the metadata are read at another one.
    .replaceAll(`"issuer": "https://sso.example.com/realms/${REALM}"`, `"issuer": "${at.issuer}"`)
    .replaceAll('"wellKnownEndpoint": "https://sso', `"issuer": "${at.issuer}", "wellKnownEndpoint": "https://sso`)
    .replaceAll(`https://sso.example.com/realms/${REALM}`, at.provider)
    .replaceAll(`http://keycloak.internal:8080/realms/${REALM}`, at.provider)
    .replaceAll(`https://keycloak.internal:8443/realms/${REALM}`, at.secureProvider)
    .replaceAll('https://app.example.com', at.secureApp)
    .replaceAll('http://127.0.0.1:8081', at.application)

async function statusOverTls({ at }: Peers, path: string, token: string): Promise<number> {
  const { port } = new URL(at.secureApp)
  return (await secureRequest(`https://127.0.0.1:${port}${path}`, bearer(token))).status
}

/** Runs the commands of the guide, once in a run. */
async function configure({ at, keycloak, gateway, admin }: Peers): Promise<void> {
  const script = guideScript('keycloak', {
    'https://sso.example.com': keycloak.url,
    // The only host name of the gateway that Keycloak can resolve.
    'https://app.example.com/portal/oidc/backchannel-logout': `${at.secureInternalApp}/portal/oidc/backchannel-logout`,
    'https://app.example.com': at.secureApp,
    'my-gateway/': `${gateway.instance.directory}/`,
  })
  const env = { ...process.env, KEYCLOAK_ADMIN_PASSWORD: 'admin' }
  await promisify(execFile)('sh', ['-e', '-c', script], { env })
  const [portal] = await admin.get<{ id: string }[]>(`/${REALM}/clients?clientId=portal`)
  await admin.put(`/${REALM}/clients/${portal?.id}`, { ...portal, directAccessGrantsEnabled: true })
}

let configuring: Promise<void> | null = null
const configured = (peers: Peers): Promise<void> => {
  configuring ??= configure(peers)
  return configuring
}

export const guide: Part = {
  // Its other clients are made by the commands of the guide.
  clients: (at) => [
    client(at, 'inside'),
    client(at, 'private-portal', { redirectUris: [`${at.secureApp}/private/oidc/callback`] }),
  ],
  files: (at) => ({
    'secrets/inside.secret': secretOf('inside'),
    'secrets/private-portal.secret': secretOf('private-portal'),
    'secrets/keycloak.authority': readFileSync(at.authorityFile, 'utf8'),
  }),
  routes: (at) => {
    const routes = guideBlocks('keycloak', 'json').map((text) => JSON.parse(replacedIn(text, at)) as { name: string })
    return Object.fromEntries(routes.map((route) => [`guide-${route.name}`, route]))
  },
  flows: [
    {
      name: 'guide: the commands configure the clients of its routes',
      run: configured,
    },
    {
      name: 'guide: login by role, the header for the application, log-out',
      skip: chromiumMissing,
      run: async (peers) => {
        const { at, chromium } = peers
        await configured(peers)
        await chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/portal/page`)
          await logInWith(page)
          await page.waitForURL(`${at.secureApp}/portal/page`)
          const headers = JSON.parse(await page.locator('body').innerText()) as Record<string, string>
          assert.equal(headers['x-user'], 'alice')
          await page.goto(`${at.secureApp}/portal/oidc/logout`)
          await page.waitForURL(`${at.secureApp}/goodbye`)
        })
        await chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/portal/page`)
          const refused = page.waitForResponse((response) => response.status() === 403)
          await logInWith(page, 'bob')
          await refused
        })
      },
    },
    {
      name: 'guide: APIs by signature with roles, by introspection, and with a private authority',
      run: async (peers) => {
        await configured(peers)
        const secret = readFileSync(join(peers.gateway.instance.directory, 'secrets', 'portal.secret'), 'utf8')
        const [alice, bob] = [
          await tokensOf(peers, 'portal', 'alice', secret),
          await tokensOf(peers, 'portal', 'bob', secret),
        ]
        assert.equal(await statusOverTls(peers, '/orders/1', alice.access_token), 200)
        assert.equal(await statusOverTls(peers, '/orders/1', bob.access_token), 403)
        assert.equal(await statusOverTls(peers, '/stock/1', alice.access_token), 200)
        assert.equal(await statusOverTls(peers, '/private/api/1', alice.access_token), 200)
      },
    },
    {
      name: 'guide: a stronger login for a part of the application',
      skip: chromiumMissing,
      run: async (peers) => {
        const { at, admin, chromium } = peers
        await configured(peers)
        await demandLevels(admin, 'portal')
        await chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/portal/oidc/login?login_hint=alice&goto=/portal/page`)
          assert.equal(await page.inputValue('#username'), 'alice')
          await logInWith(page)
          await page.waitForURL(`${at.secureApp}/portal/page`)
          await page.goto(`${at.secureApp}/portal/approvals/1`)
          await page.fill('#password', passwordOf('alice'))
          await page.click('#kc-login')
          await page.waitForURL(`${at.secureApp}/portal/approvals/1`)
          assert.ok((await page.locator('body').innerText()).startsWith('{'))
        })
      },
    },
    {
      name: 'guide: login with a private authority; an administrator logs the user out',
      skip: chromiumMissing,
      run: async (peers) => {
        const { at, chromium } = peers
        await configured(peers)
        await chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/private/page`)
          await logInWith(page)
          await page.waitForURL(`${at.secureApp}/private/page`)
          await page.goto(`${at.secureApp}/portal/page`)
          await page.waitForURL(`${at.secureApp}/portal/page`)
          await logOutEverywhere(peers, 'alice')
          const deadline = performance.now() + 10_000
          while (!page.url().startsWith(at.issuer)) {
            assert.ok(performance.now() < deadline, 'still logged in after 10 s')
            await page.goto(`${at.secureApp}/portal/page`)
          }
        })
      },
    },
    {
      name: 'guide: two host names, with revocation at log-out',
      skip: chromiumMissing,
      run: async ({ at, chromium, relay }) =>
        chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/inside/page`)
          assert.ok(page.url().startsWith(at.issuer), page.url())
          await logInWith(page)
          await page.waitForURL(`${at.secureApp}/inside/page`)
          const revocations = await relay.count('/revoke', async () => {
            await page.goto(`${at.secureApp}/inside/oidc/logout`)
          })
          assert.equal(revocations, 1)
        }),
    },
  ],
}
