/** The peer: one thread, kept-alive connections to the upstream, one header added. */
export function haproxyConfig(port: number, upstreamPort: number): string {
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
  http-response set-header X-Bench 1
  default_backend application
backend application
  server upstream 127.0.0.1:${upstreamPort}
`
}
