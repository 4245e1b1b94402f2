import { createHash } from 'node:crypto'

// System colours, so that contrast, dark mode and forced colours follow the settings of the user.
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 40rem; margin: 0 auto; }
h1 { font-size: 1.75rem; line-height: 1.25; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
`

const STUDIO = `
<li>Or draw it: the designer is found at <code>/studio/</code> of the admin connector.</li>`

/** The page: self-contained, without data of the host. */
export const welcomePage = ({ studio }: { readonly studio: boolean }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>The gateway is running</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>The gateway is running</h1>
<p>This page answers because no route takes requests for this address yet.</p>
<h2>What to do next</h2>
<ol>
<li>Put a route, a file such as <code>10-hello.json</code>, into the folder <code>config/routes</code> of the instance
directory. It is picked up without a restart.</li>
<li>Check it with <code>gateway validate</code>, and see with <code>gateway explain</code> which route takes a
request.</li>${studio ? STUDIO : ''}
</ol>
<p>The guide and the reference of all object types are in the folder <code>docs</code> of the distribution;
<code>gateway schema</code> prints what a route may hold. To replace this page, give a route the condition
<code>\${request.uri.path == '/'}</code>.</p>
</main>
</body>
</html>
`

/** Content security policy that allows the style of the page only. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
