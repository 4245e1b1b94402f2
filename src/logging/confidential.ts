/** Replaces secrets in logs. */
export const redacted = '[redacted]'

const names = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'cookie2',
  'setcookie',
  'setcookie2',
  'dpop',
  'apikey',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'subjecttoken',
  'actortoken',
  'clientassertion',
  'assertion',
  'clientsecret',
  'password',
  'passwd',
  'passphrase',
  'secret',
  'privatekey',
])

// X-Auth-Token, X-Amz-Security-Token, X-Api-Key, X-Vault-Token, X-Hub-Secret and similar names.
const headerPattern =
  /^x[-_.](?:[\w.-]*[-_.])?(?:token|key|secret|password|passwd|authorization|cookie|credentials?|jwt)$/i

/** Whether a header or field of this name contains a credential; `-`, `_`, `.` and case are ignored. */
export function isConfidential(name: string): boolean {
  return names.has(name.toLowerCase().replace(/[-_.]/g, '')) || headerPattern.test(name)
}
