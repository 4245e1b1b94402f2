/** An nginx configuration with one worker and all files in `folder`; `server` is the body of the server block. */
export function nginxConfig(
  folder: string,
  port: number,
  { http = '', server }: { http?: string; server: string },
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx-${port}.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name}-${port};`).join('\n  ')}
  ${http}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`
}

/** The upstream: one short text for every request; under /post after the whole request body was received. */
export function nginxUpstream(folder: string, port: number, body: string): string {
  return nginxConfig(folder, port, {
    http: `upstream itself {
    server 127.0.0.1:${port};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  client_body_buffer_size 256k;`,
    server: `location / { default_type text/plain; return 200 "${body}"; }
    location /post {
      proxy_pass http://itself/;
      proxy_method GET;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }`,
  })
}

/** The peer: a proxy with keep-alive connections to the upstream that adds one header. */
export function nginxProxy(folder: string, port: number, upstreamPort: number): string {
  return nginxConfig(folder, port, {
    http: `upstream application {
    server 127.0.0.1:${upstreamPort};
    keepalive 64;
    keepalive_requests 1000000000;
  }`,
    server: `location / {
      proxy_pass http://application;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
      add_header X-Bench 1;
    }`,
  })
}

/** The peer for WebSocket: a tunnel after the 101 of the upstream. */
export function nginxTunnel(folder: string, port: number, upstreamPort: number): string {
  return nginxConfig(folder, port, {
    server: `location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      proxy_set_header Host $host;
    }`,
  })
}
