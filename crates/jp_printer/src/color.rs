//! Turns the colours of a theme into those the terminal has.
//!
//! Themes are written in 24-bit colour, except that a few use the palette of the terminal: they say
//! so in the alpha channel, where 0 means "the palette entry numbered by red" and 1 means "the
//! colour the terminal uses anyway".

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};
use syntect::{
    highlighting::{Color as ThemeColor, FontStyle, Highlighter, Style as ThemeStyle},
    parsing::Scope,
};

use crate::{ColorDepth, Theme};

/// The colours to write with: a theme, on a terminal that knows so many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) theme: Theme,
    pub(crate) depth: ColorDepth,
}

impl Ink {
    /// The style of a piece of code. What has the theme's ordinary colour gets none, and so stays
    /// readable on a background the theme was not made for.
    pub(crate) fn style(self, style: ThemeStyle) -> Style {
        let ordinary = self.theme.definition().settings.foreground;
        let color = Some(style.foreground)
            .filter(|color| Some(*color) != ordinary)
            .and_then(|color| self.color(color));
        Style::new().fg_color(color).effects(effects(style.font_style))
    }

    /// What the theme says about a kind of text, such as `markup.heading`.
    pub(crate) fn scope(self, name: &str) -> Style {
        let stack: Vec<Scope> = Scope::new(name).into_iter().collect();
        self.style(Highlighter::new(self.theme.definition()).style_for_stack(&stack))
    }

    fn color(self, color: ThemeColor) -> Option<Color> {
        match (color.a, self.depth) {
            (0, _) => Some(self.palette(color.r)),
            (1, _) => None,
            (_, ColorDepth::TrueColor) => Some(RgbColor(color.r, color.g, color.b).into()),
            (_, ColorDepth::Ansi256) => {
                Some(Ansi256Color(nearest_256(color.r, color.g, color.b)).into())
            }
            (_, ColorDepth::Ansi16) => Some(nearest_16(color.r, color.g, color.b).into()),
        }
    }

    /// An entry of the terminal's own palette, whose first sixteen every terminal has.
    fn palette(self, index: u8) -> Color {
        let index = Ansi256Color(index);
        match (index.into_ansi(), self.depth) {
            (Some(named), _) => named.into(),
            (None, ColorDepth::Ansi16) => AnsiColor::White.into(),
            (None, _) => index.into(),
        }
    }
}

fn effects(font: FontStyle) -> Effects {
    [
        (FontStyle::BOLD, Effects::BOLD),
        (FontStyle::ITALIC, Effects::ITALIC),
        (FontStyle::UNDERLINE, Effects::UNDERLINE),
    ]
    .into_iter()
    .filter(|(wanted, _)| font.contains(*wanted))
    .fold(Effects::new(), |all, (_, effect)| all | effect)
}

/// The nearest of the 6×6×6 cube and the 24 greys.
fn nearest_256(r: u8, g: u8, b: u8) -> u8 {
    let cube = [r, g, b].map(cube_step);
    let average = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    // Greys run from 8 to 238 in steps of ten.
    let grey = u8::try_from(average.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let to_cube = distance([r, g, b], cube.map(|step| CUBE[usize::from(step)]));
    let to_grey = distance([r, g, b], [8 + 10 * grey; 3]);
    if to_grey < to_cube { 232 + grey } else { 16 + 36 * cube[0] + 6 * cube[1] + cube[2] }
}

const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn cube_step(value: u8) -> u8 {
    match value {
        0..48 => 0,
        48..115 => 1,
        115..155 => 2,
        155..195 => 3,
        195..235 => 4,
        235.. => 5,
    }
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.into_iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// The nearest of sixteen by hue. Nearness in red, green and blue would call most pastel colours
/// grey, and then a highlighted text has one colour only.
fn nearest_16(r: u8, g: u8, b: u8) -> AnsiColor {
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    if high - low < 40 {
        return match high {
            0..140 => AnsiColor::BrightBlack,
            140..220 => AnsiColor::White,
            220.. => AnsiColor::BrightWhite,
        };
    }
    let middle = low + (high - low) / 2;
    match (r > middle, g > middle, b > middle) {
        (true, true, _) => AnsiColor::Yellow,
        (true, false, true) => AnsiColor::Magenta,
        (true, false, false) => AnsiColor::Red,
        (false, true, true) => AnsiColor::Cyan,
        (false, true, false) => AnsiColor::Green,
        (false, false, _) => AnsiColor::Blue,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_keep_their_hue_at_every_depth() {
        for ([r, g, b], nearest, named) in [
            ([0xff, 0x00, 0x00], 196, AnsiColor::Red),
            ([0xa3, 0xbe, 0x8c], 144, AnsiColor::Green),
            ([0x8b, 0xe9, 0xfd], 117, AnsiColor::Cyan),
            ([0xff, 0x79, 0xc6], 212, AnsiColor::Magenta),
            ([0x62, 0x72, 0xa4], 61, AnsiColor::Blue),
            ([0xf1, 0xfa, 0x8c], 228, AnsiColor::Yellow),
            ([0x80, 0x80, 0x80], 244, AnsiColor::BrightBlack),
            ([0x00, 0x00, 0x00], 16, AnsiColor::BrightBlack),
            ([0xff, 0xff, 0xff], 231, AnsiColor::BrightWhite),
        ] {
            assert_eq!(nearest_256(r, g, b), nearest, "{r:02x}{g:02x}{b:02x}");
            assert_eq!(nearest_16(r, g, b), named, "{r:02x}{g:02x}{b:02x}");
        }
    }

    #[test]
    fn the_palette_of_the_terminal_is_used_where_the_theme_asks_for_it() {
        let ink = Ink { theme: Theme::default(), depth: ColorDepth::TrueColor };
        let color = |r, a| ink.color(ThemeColor { r, g: 0, b: 0, a });
        assert_eq!(color(4, 0), Some(AnsiColor::Blue.into()));
        assert_eq!(color(208, 0), Some(Ansi256Color(208).into()));
        assert_eq!(color(4, 1), None);
        assert_eq!(color(4, 255), Some(RgbColor(4, 0, 0).into()));
    }
}
