import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fileFaultText } from './fault-text.ts';
import { FILE_BYTES_MAX } from './decode.ts';
import { readTable, ROWS_MAX, type Table } from './read-table.ts';

const HEADER = 'name,quantity\n';

async function tableOf(file: string | Uint8Array): Promise<Table> {
  const table = await readTable(typeof file === 'string' ? Buffer.from(file) : file);
  assert.ok(table.kind === 'table', JSON.stringify(table));
  return table;
}

describe('a file that is not CSV', () => {
  it('a file that is not CSV is refused with a message that says what to do', async () => {
    const workbook = Buffer.from('PK\u0003\u0004\u0014\u0000[Content_Types].xml');
    for (const [file, code, row] of [
      ['', 'empty', null],
      ['\ufeff', 'empty', null],
      [' \r\n\t\n', 'empty', null],
      [Buffer.alloc(FILE_BYTES_MAX + 1, 'a,'), 'too_large', null],
      [workbook, 'workbook', null],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'workbook', null],
      [gzipSync(HEADER), 'compressed', null],
      ['<!DOCTYPE html><html></html>', 'web_page', null],
      ['\n <html>', 'web_page', null],
      [Buffer.from(`\ufeff${HEADER}`, 'utf16le'), 'utf16', null],
      [`${HEADER}a\0b,1\n`, 'binary', null],
      [Buffer.from('6e616d650aff80fe0a', 'hex'), 'encoding', null],
      [',,,\n,,\n', 'no_header', null],
      [HEADER, 'no_rows', null],
      [`${HEADER},\n\n,,\n`, 'no_rows', null],
      [`${HEADER}"Puffolk,1\nOld Kettle,2\n`, 'open_quote', 2],
      [`${HEADER}Puffolk,1\n5" binder,2\n`, 'bad_quote', 3],
      [`${HEADER}Puffolk,1\n"a" b,2\n`, 'bad_quote', 3],
      [`${HEADER}Puffolk,1\n"${'x'.repeat(600_000)}",2\n`, 'record_too_long', 3],
      [`${HEADER}${'a,1\n'.repeat(ROWS_MAX + 1)}`, 'too_many_rows', null],
      [
        `${Array.from({ length: 101 }, (_, n) => `c${n}`).join(',')}\n1\n`,
        'too_many_columns',
        null,
      ],
    ] as const) {
      const table = await readTable(typeof file === 'string' ? Buffer.from(file) : file);
      assert.ok(table.kind === 'file_fault', `${code}: ${JSON.stringify(table).slice(0, 200)}`);
      assert.deepEqual([table.code, table.row], [code, row]);
      for (const language of ['en', 'ja'] as const) {
        const text = fileFaultText(table, language);
        assert.ok(text.length > 5);
        assert.equal(text.includes(String(row)), row !== null, text);
      }
    }
  });
});

describe('a CSV file', () => {
  it('a CSV file may have commas, semicolons or tabs, any line endings and a byte order mark', async () => {
    for (const delimiter of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = [['name', 'a,b;c\td'].join(delimiter), ['"x"', '"1""2"'].join(delimiter)];
        const quoted = lines.join(end).replace('a,b;c\td', '"a,b;c\td"');
        const table = await tableOf(`\ufeff${quoted}${end}`);
        assert.deepEqual(table.headers, ['name', 'a,b;c\td']);
        assert.equal(table.delimiter, delimiter);
        assert.deepEqual(
          table.rows.map(({ number, cells }) => [number, ...cells]),
          [[2, 'x', '1"2']],
        );
      }
    }
    const named = await tableOf('sep=;\r\nname;quantity\r\nPuffolk, old;1\r\n');
    assert.deepEqual([named.delimiter, named.rows[0]?.cells], [';', ['Puffolk, old', '1']]);
    assert.equal(named.rows[0]?.number, 3);
  });

  it('rows have the numbers of a spreadsheet, even after blank rows and line breaks in cells', async () => {
    const table = await tableOf('\n\nname,note\n\n"a","x\ny"\n,\nb,z\nc\n');
    assert.deepEqual(
      table.rows.map(({ number, cells }) => [number, cells[0]]),
      [
        [5, 'a'],
        [7, 'b'],
        [8, 'c'],
      ],
    );
  });

  it('each row with too many cells, or with a cell that is too long, is reported as a fault', async () => {
    const long = 'x'.repeat(32_768);
    const table = await tableOf(`${HEADER}a,1,\nb,1,2\n${long},1\n`);
    assert.deepEqual(
      table.rows.map(({ problem }) => problem),
      [null, 'too_many_cells', 'cell_too_long'],
    );
  });
});
