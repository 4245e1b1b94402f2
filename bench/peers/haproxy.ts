/** The peer: one thread, keep-alive connections to the upstream, one header added. */
export function haproxyConfig(port: number, upstreamPort: number): string {
  return haproxyFront(port, upstreamPort, ['http-response set-header X-Bench 1'])
}

/** One port in front of one application, with rules for requests. */
export function haproxyFront(port: number, upstreamPort: number, rules: readonly string[]): string {
  return `
global
  nbthread 1
  maxconn 1024
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout tunnel 30s
  http-reuse always
frontend front
  bind 127.0.0.1:${port}
  ${rules.join('\n  ')}
  default_backend application
backend application
  server upstream 127.0.0.1:${upstreamPort}
`
}
