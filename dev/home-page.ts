/** Home page of the protected application. */
export const HOME_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A protected application</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>A protected application</h1>
<p>You see this through the gateway. The application itself listens on a port that only the gateway knows.</p>
<ul>
  <li><a href="echo">echo</a>: the request as it arrived here</li>
  <li><a href="stream">stream</a>: events, one after the other</li>
  <li><a href="slow?ms=2000">slow</a>: an answer after two seconds</li>
  <li><a href="status/418">status</a>: any status</li>
  <li><a href="download?bytes=1000000">download</a>: any number of bytes</li>
</ul>
</html>
`
