/** Objects of one family, each with its labels and values as the gateway gives them. */
export function FamilyTable({ family, rows }: { family: string; rows: unknown }) {
  if (!Array.isArray(rows) || rows.length === 0) return null
  const objects = rows as readonly Readonly<Record<string, unknown>>[]
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  const title = family.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (
    <section aria-label={title} className="tile">
      <h2>{title}</h2>
      <div className="scroller" tabIndex={0} role="group" aria-label={`Values of ${title}`}>
        <table aria-label={title}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {objects.map((object) => (
              <tr key={columns.map((column) => (typeof object[column] === 'string' ? object[column] : '')).join(' ')}>
                {columns.map((column) => (
                  <td key={column}>{column === 'notAfter' ? dateOf(object[column]) : shown(object[column])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const DAY = 86_400

/** A date in seconds since 1970, with the days until it. */
function dateOf(value: unknown): string {
  if (typeof value !== 'number') return ''
  const days = Math.floor(value / DAY - Date.now() / 1000 / DAY)
  const date = new Date(value * 1000).toLocaleDateString()
  return days < 0 ? `${date}, expired` : `${date}, in ${days} days`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return value.toLocaleString(undefined, { maximumFractionDigits: 3 })
  return typeof value === 'string' ? value : JSON.stringify(value)
}
