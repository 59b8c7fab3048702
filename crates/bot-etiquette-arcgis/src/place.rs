//! Where layers, services and features lie: which extent speaks, and in which coordinate system.

use crate::count::{LayerCount, QueryExtent};
use crate::crs::Crs;
use crate::features::{Feature, FeaturePage};
use crate::geojson::Outline;
use crate::layer::Layer;
use crate::service::Service;
use crate::space::Extent;
use crate::wgs84::{Place, Reason};

impl Layer {
    /// Where the layer says its data lies: by its own extent, else by its service's, which is marked as inherited.
    #[must_use]
    pub fn place(&self, service: Option<&Service>, count: Option<u64>) -> Place {
        let of_service = service.and_then(|service| service.spatial_reference.as_ref());
        let references =
            [self.spatial_reference.as_ref(), self.source_spatial_reference.as_ref(), of_service];
        let own = self
            .extent
            .as_ref()
            .map_or_else(|| Place::none(Reason::Null), |extent| extent.to_wgs84_in(&references, count));
        let is_told = !matches!(own.reason, Some(Reason::Null | Reason::Missing));
        if is_told {
            return own;
        }
        match service.and_then(|service| service.full_extent.as_ref()) {
            Some(extent) => Place { inherited: true, ..extent.to_wgs84_in(&[of_service], count) },
            None => own,
        }
    }
}

impl Service {
    /// Where the service says its data lies; by its initial extent, marked as inherited, where it tells no full one.
    #[must_use]
    pub fn place(&self) -> Place {
        let references = [self.spatial_reference.as_ref()];
        let place = |extent: &Extent| extent.to_wgs84_in(&references, None);
        match (&self.full_extent, &self.initial_extent) {
            (Some(full), _) => place(full),
            (None, Some(initial)) => Place { inherited: true, ..place(initial) },
            (None, None) => Place::none(Reason::Null),
        }
    }
}

impl QueryExtent {
    /// Where the features lie.
    #[must_use]
    pub fn place(&self) -> Place {
        self.extent
            .as_ref()
            .map_or_else(|| Place::none(Reason::Null), |extent| extent.to_wgs84_in(&[], self.count))
    }
}

impl LayerCount {
    /// Where the features lie, as estimated.
    #[must_use]
    pub fn place(&self) -> Place {
        self.extent
            .as_ref()
            .map_or_else(|| Place::none(Reason::Null), |extent| extent.to_wgs84_in(&[], self.count))
    }
}

impl FeaturePage {
    /// The features' geometries as GeoJSON in WGS 84, projected here where the server answered in another system; one
    /// for each feature, without a geometry where that system is unknown.
    #[must_use]
    pub fn outlines(&self) -> Vec<Outline> {
        let named = self.spatial_reference.as_ref().filter(|reference| !reference.is_empty());
        // A page that names no system holds what was asked for, which is WGS 84.
        let crs = named.map(|reference| Crs::find(reference).into_iter().next());
        let place = |outline: Outline| {
            let geometry = match &crs {
                None => outline.geometry,
                Some(Some(crs)) => {
                    outline.geometry.and_then(|geometry| geometry.project(&|x, y| crs.place(x, y)))
                }
                Some(None) => None,
            };
            Outline { geometry, ..outline }
        };
        let geojson = |feature: &Feature| {
            feature
                .geometry
                .as_ref()
                .map_or_else(Outline::default, |geometry| geometry.to_geojson(self.has_z))
        };
        self.features.iter().map(|feature| place(geojson(feature))).collect()
    }
}
