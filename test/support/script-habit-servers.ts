// Servers of script habits: nginx, and an application that echoes.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nginx } from './nginx.ts'

/** nginx as the application of those habits that need a real login, redirects and files. */
const NGINX = `
  location /basic/ { auth_basic "staff"; auth_basic_user_file users; add_header X-User $remote_user; try_files /welcome.txt =404; }
  location = /login {
    proxy_set_header X-Content $request_body;
    proxy_pass http://127.0.0.1:$server_port/login-check;
  }
  location = /login-check {
    if ($http_x_content = "username=ada&password=l%26ve+lace") {
      add_header Set-Cookie "SID=s3cr3t; Path=/; HttpOnly";
      return 302 /account;
    }
    return 403 "bad credentials";
  }
  location = /account {
    if ($cookie_sid = "s3cr3t") { return 200 "account of ada"; }
    return 302 http://$http_host/login?goto=/account;
  }
  location = /old { return 302 http://127.0.0.1:$server_port/new?from=old; }
  location = /new { default_type text/plain; return 200 "new $args"; }
  location = /compressed { gzip on; gzip_min_length 1; gzip_types text/plain; default_type text/plain; try_files /page.txt =404; }
  location = /page.html { default_type text/html; }
  location = /users.json { default_type application/json; }
`

const NGINX_FILES = {
  'welcome.txt': 'welcome',
  users: 'ada:{PLAIN}l&ve lace\n',
  'page.txt': 'a page about gateways, and about pages\n',
  'page.html':
    '<html><head><title>Internal</title></head><body><a href="http://internal.example.com/x">x</a></body></html>',
  'users.json': JSON.stringify({
    users: [
      { id: 1, name: 'ada', mail: 'ada@example.com', role: 'admin', active: true, password: 'x' },
      { id: 2, name: 'bob', mail: 'bob@example.com', role: 'user', active: false, password: 'y' },
      { id: 3, name: 'eve', mail: 'eve@example.org', role: 'user', active: true, password: 'z' },
    ],
    total: 3,
  }),
}

/** Answers with the request that it received, as JSON. */
function echo(): Server {
  return createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      response.setHeader('Content-Type', 'application/json')
      response.setHeader('X-Powered-By', 'echo')
      response.end(JSON.stringify({ method: request.method, path: request.url, headers: request.headers, body }))
    })
  })
}

/** Starts both servers; `origins` has their URLs by name. */
export async function startHabitServers(): Promise<
  { readonly origins: { readonly app: string; readonly nginx: string } } & AsyncDisposable
> {
  await using stack = new AsyncDisposableStack()
  const app = echo()
  await new Promise<void>((done) => app.listen(0, '127.0.0.1', done))
  stack.defer(async () => {
    app.closeAllConnections()
    await new Promise((done) => app.close(done))
  })
  const server = stack.use(await nginx(NGINX, NGINX_FILES))
  const servers = stack.move()
  const origins = { app: `http://127.0.0.1:${(app.address() as AddressInfo).port}`, nginx: server.url }
  return { origins, [Symbol.asyncDispose]: () => servers.disposeAsync() }
}
