import { escapeHtml, TOUR, type TourLinks, type TourRequest } from './tour.ts'

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; background: #fff }
header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; border-bottom: 1px solid #ccc }
a { color: #0b57d0 } nav ol { padding-left: 1.2rem; columns: 2 } [aria-current] { font-weight: bold }
.next { display: inline-block; padding: .5rem 1rem; border-radius: .4rem; color: #fff; background: #0b57d0; text-decoration: none }
@media (prefers-color-scheme: dark) { body { color: #e3e3e8; background: #17171c } a { color: #a8c7fa } .next { color: #062e6f; background: #a8c7fa } }`

const NO_LINKS: TourLinks = { traffic: '', secure: '', admin: '' }

/** A page of the application: who is logged in, the step of the demo that led here, and the next one. */
export function homePage(step: string, request: TourRequest, links: TourLinks | null): string {
  const name = Object.hasOwn(TOUR, step) ? step : 'proxy'
  const current = TOUR[name] as (typeof TOUR)[string]
  const steps = Object.values(TOUR)
  const next = steps[steps.indexOf(current) + 1]
  // A page over TLS leads back to the connector without it.
  const base = links?.traffic ?? ''
  const items = steps.map((each) => {
    const mark = each === current ? ' aria-current="page"' : ''
    return `<li><a href="${escapeHtml(base + each.path)}"${mark}>${each.title}</a></li>`
  })
  const onward =
    next === undefined
      ? '<p>That was all. The commands in the terminal show more.</p>'
      : `<p><a class="next" href="${escapeHtml(base + next.path)}">Next: ${next.title}</a></p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A protected application</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>A protected application</h1>
<p id="user">${userText(request)}</p>
</header>
<main>
<h2>${current.title}</h2>
${current.content(links ?? NO_LINKS, request)}
${onward}
</main>
<nav aria-label="Steps of the demo">
<h2>Steps</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
</body>
</html>
`
}

function userText({ user, login }: TourRequest): string {
  if (user === null) return 'Not logged in'
  return `Logged in as <strong>${escapeHtml(user)}</strong>${login === null ? '' : ` by ${escapeHtml(login)}`}`
}
