// Search over the pages of this version. The index is a script beside this one, loaded on first use, so that it also works from files.
;(() => {
  const MAX_RESULTS = 20
  const CONTEXT = 60
  const box = document.querySelector('search')
  const input = document.querySelector('#query')
  const results = document.querySelector('#results')
  const root = document.body.dataset.root
  let loading = null

  /** Entries: [address, page, heading, text]. */
  const index = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = `${root}assets/search-index.js`
      script.onload = () => resolve(window.searchIndex)
      script.onerror = () => {
        loading = null
        reject(new Error('the index can not be loaded'))
      }
      document.head.append(script)
    })
    return loading
  }

  const scoreOf = ([, page, heading, text], words) => {
    let score = 0
    for (const word of words) {
      const found =
        (heading.toLowerCase().includes(word) ? 20 : 0) +
        (page.toLowerCase().includes(word) ? 10 : 0) +
        Math.min(text.toLowerCase().split(word).length - 1, 5)
      if (found === 0) return 0
      score += found
    }
    return heading.toLowerCase() === words.join(' ') ? score + 50 : score
  }

  const excerpt = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - CONTEXT)
    return `${at > 0 ? '... ' : ''}${text.slice(at, at + 3 * CONTEXT)}`
  }

  const item = ([address, page, heading, text], words) => {
    const link = document.createElement('a')
    link.href = root + address
    link.textContent = heading === page ? page : `${page}: ${heading}`
    const line = document.createElement('small')
    line.textContent = excerpt(text, words[0])
    const row = document.createElement('li')
    row.append(link, line)
    return row
  }

  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return results.replaceChildren()
    try {
      const entries = await index()
      const found = entries
        .map((entry) => ({ entry, score: scoreOf(entry, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
      const count = document.createElement('p')
      count.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found`
      const list = document.createElement('ul')
      list.append(...found.slice(0, MAX_RESULTS).map(({ entry }) => item(entry, words)))
      results.replaceChildren(count, ...(found.length === 0 ? [] : [list]))
    } catch (error) {
      results.replaceChildren(error.message)
    }
  }

  box.hidden = false
  input.addEventListener('input', show)
  input.addEventListener('focus', () => index().catch(() => {}))
  box.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    input.value = ''
    results.replaceChildren()
    input.focus()
  })
})()
