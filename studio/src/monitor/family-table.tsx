import { fieldLabel, inWords, measureOf } from './measures.ts'

/** Families whose name does not say what they belong to. */
const TITLES: Readonly<Record<string, string>> = {
  notifications: 'Access manager notifications',
  agents: 'Access manager agents',
}

/** Objects of one family, each with its labels and values as the gateway gives them. */
export function FamilyTable({ family, rows }: { family: string; rows: unknown }) {
  if (!Array.isArray(rows) || rows.length === 0) return null
  const objects = rows as readonly Readonly<Record<string, unknown>>[]
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  const words = inWords(family)
  const title = TITLES[family] ?? words.charAt(0).toUpperCase() + words.slice(1)
  return (
    <section aria-label={title} className="tile">
      <h2>{title}</h2>
      <div className="scroller" tabIndex={0} role="group" aria-label={`Values of ${title}`}>
        <table aria-label={title}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className={columnClass(objects, column)}>
                  {fieldLabel(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {objects.map((object) => (
              <tr key={columns.map((column) => (typeof object[column] === 'string' ? object[column] : '')).join(' ')}>
                {columns.map((column) => (
                  <Cell key={column} column={column} value={object[column]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function columnClass(objects: readonly Readonly<Record<string, unknown>>[], column: string): string {
  return objects.some((object) => measureOf(column, object[column]).isNumber) ? 'number' : ''
}

function Cell({ column, value }: { column: string; value: unknown }) {
  const { text, level, isNumber } = measureOf(column, value)
  return <td className={[isNumber ? 'number' : '', level ?? ''].join(' ').trim()}>{text}</td>
}
