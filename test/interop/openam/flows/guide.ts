import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'guide', 'openam.md'), 'utf8')
const REALM = 'guide'

/** Blocks of a language in the guide, in order. */
function blocks(language: string): string[] {
  return [...GUIDE.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, kind, text]) =>
    kind === language ? [text!] : [],
  )
}

export const guideFlows: readonly Flow<Peers>[] = [
  {
    name: 'guide: its commands, run in order, have the described results',
    async run({ at, openam }) {
      const realm = { name: REALM, parentPath: '/', active: true, aliases: [] }
      await openam.admin.call('POST', '/', 'global-config/realms?_action=create', realm)
      await openam.admin.call('POST', `/${REALM}`, 'realm-config/services/oauth-oidc?_action=create', {})
      const { host } = new URL(openam.url)
      const script = blocks('sh')
        .join('')
        .replace(/^AM=.*$/m, `AM=${openam.url}`)
        .replace(/^APP=.*$/m, `APP=${at.app}`)
        // In a realm of its own; the administrator is one of the root realm.
        .replaceAll(
          /\$AM\/json\/(?!authenticate" -H 'Content-Type: application\/json' -H 'X-OpenAM-Username: amadmin)/g,
          `$AM/json/realms/root/realms/${REALM}/`,
        )
        .replaceAll('curl -s', `curl -s --resolve ${host}:127.0.0.1 --max-time 60`)
      const env = { ...process.env, ADMIN_PASSWORD: openam.admin.password }
      const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { env })
      for (const line of blocks('text').flatMap((text) => text.trim().split('\n')))
        assert.ok(stdout.includes(line), `expected the line ${line}, found:\n${stdout}`)
      assert.doesNotMatch(stdout, /"code":\d/, 'an error of OpenAM')
    },
  },
]
