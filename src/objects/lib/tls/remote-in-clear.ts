/** Whether requests to a URL cross a network without TLS: an attacker there can read and replace what is sent. */
export function isRemoteInClear(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
